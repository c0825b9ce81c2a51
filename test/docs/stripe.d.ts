/** What the examples use of a package that is not installed here. */
declare module 'stripe' {
  export default class Stripe {
    constructor(apiKey: string);
    readonly webhooks: {
      constructEvent(payload: string | Buffer, header: string | Buffer | string[], secret: string): object;
    };
  }
}
