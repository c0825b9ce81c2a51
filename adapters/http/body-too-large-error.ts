/** A body above `maxRequestBytes`. Nothing was claimed. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';

  constructor() {
    super('the body is larger than maxRequestBytes');
  }
}
