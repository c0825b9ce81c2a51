/**
 * Of processes that are at least as many as the cores, and end soon. Most of what they make is garbage soon: with room
 * for it, it is collected in a tenth of the times, and none has threads of its own for that. Code is compiled before it
 * is hot.
 */
export const V8_FLAGS = ['--max-semi-space-size=64', '--single-threaded-gc', '--always-sparkplug'];
