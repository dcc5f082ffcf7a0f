import type { ProcessRow } from './process-table.ts';
import { belongsTo, type Tree } from './process-tree.ts';

/** The process trees of terminals and programs that run now. */
export class RunningTrees {
  readonly #trees = new Set<Tree>();

  /** Notes a tree; the returned function says that it has ended. */
  public add(tree: Tree): () => void {
    this.#trees.add(tree);
    return () => {
      this.#trees.delete(tree);
    };
  }

  /** Whether a process, by itself, belongs to one of them. */
  public has(row: ProcessRow): boolean {
    return [...this.#trees].some((tree) => belongsTo(tree)(row));
  }
}
