import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Jest and `node:vm` give code an `Error` of its own. The command runs in neither. */
const errorsOfAnyRealm = {
  files: ['src/**', 'adapters/**', 'testing/**'],
  ignores: ['adapters/cli/**'],
  rules: {
    'no-restricted-syntax': [
      'error',
      {
        selector: "BinaryExpression[operator='instanceof'][right.name=/^(Syntax)?Error$/]",
        message: 'An error of another realm is no instance of it: use isError or isSyntaxError.',
      },
    ],
  },
};

export default defineConfig(
  {
    ignores: ['.stryker/', 'dist/', 'site/', 'bench/peers/', 'proof/runtimes/projects/', '**/*.generated.ts'],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // One program for all files: a quarter less time than a project service, which editors need.
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // There are no enums.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // It asks for the `!` that no-non-null-assertion forbids.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // Prettier wraps code, and leaves comments.
      'max-len': [
        'error',
        {
          code: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
        },
      ],
      // A number in a message is what was meant.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['examples/**', 'test/nestjs/**'],
    rules: {
      // A module of NestJS can be nothing but its decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // The runner waits for its tests.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: 'test' }] },
      ],
    },
  },
  errorsOfAnyRealm,
);
