import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

function forbidImports(files, ...patterns) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

const ADAPTERS_IMPORT =
  'An adapter imports its own folder, adapters/shared, src/index.ts and src/adapter-kit.ts.';

/** Jest and `node:vm` give code an `Error` of its own. The command runs in neither. */
const errorsOfAnyRealm = {
  files: ['src/**', 'adapters/**'],
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

/** Dependencies point one way: examples -> adapters -> src. */
const importDirection = [
  forbidImports(
    ['src/**'],
    { group: ['**/adapters/**'], message: 'src knows no adapter.' },
    { group: ['@aws-sdk/*', 'kafkajs'], message: 'src knows no broker.' },
  ),
  forbidImports(['adapters/*/*.ts'], {
    regex: String.raw`^\.\./(?!shared/|\.\./src/(index|adapter-kit)\.ts$)`,
    message: ADAPTERS_IMPORT,
  }),
  forbidImports(['adapters/*/*/**'], {
    regex: String.raw`^\.\./\.\./(?!shared/|\.\./src/(index|adapter-kit)\.ts$)`,
    message: ADAPTERS_IMPORT,
  }),
  forbidImports(['adapters/nestjs/*.ts'], {
    regex: String.raw`^\.\./(?!(kafka|sqs)/index\.ts$|\.\./src/(index|adapter-kit)\.ts$)`,
    message:
      'The module of NestJS runs the published consumers: adapters/kafka/index.ts, adapters/sqs/index.ts.',
  }),
  forbidImports(['adapters/cli/*.ts'], {
    regex: String.raw`^\.\./(?!(clients|kafka|sqs)/index\.ts$|shared/|\.\./src/(index|adapter-kit|operations)\.ts$)`,
    message:
      'The command imports what is published (src/index.ts, adapters/operations/index.ts, adapters/*/index.ts), src/adapter-kit.ts and adapters/shared.',
  }),
  forbidImports(['adapters/cli/*/*.ts'], {
    regex: String.raw`^\.\./\.\./(?!(clients|kafka|sqs)/index\.ts$|shared/|\.\./src/(index|adapter-kit|operations)\.ts$)`,
    message:
      'The command imports what is published (src/index.ts, adapters/operations/index.ts, adapters/*/index.ts), src/adapter-kit.ts and adapters/shared.',
  }),
  forbidImports(['examples/**'], {
    regex: String.raw`^(\.\./)+(src|adapters)/`,
    message: 'Examples import the public names, as users do: handle-once, handle-once/sqs.',
  }),
];

export default defineConfig(
  { ignores: ['dist/', 'site/', 'bench/peers/', 'proof/runtimes/projects/', '**/*.generated.ts'] },
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
  importDirection,
);
