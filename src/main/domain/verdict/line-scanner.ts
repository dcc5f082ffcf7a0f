/** Walks along a line once, from left to right, and takes what it expects. */
export class LineScanner {
  public readonly line: string;
  #index: number;

  public constructor(line: string, index = 0) {
    this.line = line;
    this.#index = index;
  }

  public get index(): number {
    return this.#index;
  }

  public get rest(): string {
    return this.line.slice(this.#index);
  }

  public get atEnd(): boolean {
    return this.#index >= this.line.length;
  }

  /** Takes what a sticky pattern matches here; null, and no step, where it matches nothing. */
  public take(sticky: RegExp): string | null {
    sticky.lastIndex = this.#index;
    const found = sticky.exec(this.line)?.[0] ?? null;
    if (found !== null) this.#index += found.length;
    return found;
  }

  /** Takes exactly these characters, or nothing. */
  public takeText(text: string): boolean {
    if (!this.line.startsWith(text, this.#index)) return false;
    this.#index += text.length;
    return true;
  }

  /** Goes back to an index that was read before. */
  public returnTo(index: number): void {
    this.#index = index;
  }
}
