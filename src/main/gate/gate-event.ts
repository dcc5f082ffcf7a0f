/** What a gate turned away by itself, or could not do; texts are for the person. */
export type GateEvent =
  | {
      readonly type: 'refused';
      readonly reason: RefusalReason;
      /** By which way it came in: the Unix socket, which containers have, or the host's loopback. */
      readonly over: 'socket' | 'loopback';
      readonly method: string;
      /** Without its query, clipped. */
      readonly path: string;
      readonly message: string;
    }
  /** A model's answer passed through whose tokens could not be read. */
  | { readonly type: 'uncounted'; readonly model: string; readonly message: string }
  /** A bug of ours ended one request. */
  | { readonly type: 'defect'; readonly message: string };

/** Why a request was turned away. */
export type RefusalReason =
  /** Its token opens no gate: it is wrong, or its turn has ended. */
  | 'wrong_token'
  /** It came to the loopback under a name that is not the loopback's, or from a web page. */
  | 'foreign_origin'
  /** The turn may not go there. */
  | 'closed_path'
  | 'too_large'
  | 'budget'
  /** Upstream pointed to another address, which is not followed. */
  | 'redirect'
  /** It is not what the gate's own protocol allows. */
  | 'malformed';
