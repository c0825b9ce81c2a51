/**
 * What `handle-once` asks of a store: for one of your own, given as `store` to `createHandleOnce`, and tested with
 * `storeContract` of `handle-once/testing`.
 *
 * @module handle-once/store
 */
export type {
  ClaimReply,
  ClaimRequest,
  ClaimTerms,
  ExtendReply,
  ExtendRequest,
  KeepReply,
  KeepRequest,
  LookupReply,
  Settlement,
  SettleReply,
  SettleRequest,
  Store,
} from './store/store.ts';
