/** Jest compiles the package to CommonJS, as it does your own code. */
module.exports = {
  transform: { '\\.[jt]s$': ['ts-jest', { diagnostics: false }] },
  transformIgnorePatterns: ['/node_modules/(?!handle-once/)'],
};
