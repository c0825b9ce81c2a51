import type { AnyHandleOnce } from 'handle-once';
import type { Build } from '../build.ts';

/** Hands over so many new messages, in so many lanes that keep their order, and waits until all are acknowledged. */
export type HandOver = () => Promise<void>;

export type Prepare = (messages: number, lanes: number) => Promise<HandOver>;

/** An adapter whose lanes keep their order, without its broker. */
export type Adapter = (
  build: Build,
  handleOnce: AnyHandleOnce,
  handler: () => Promise<unknown>,
) => Promise<Prepare>;
