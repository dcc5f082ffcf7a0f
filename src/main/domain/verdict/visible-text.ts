/** What takes no ink: zero-width and direction marks, variation selectors, tags, fillers. */
const withoutInk = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** Terminal colours and the like: a control character, `[`, and a final letter. */
const controlSequence = /[^\P{Cc}\s\u0085]\[[0-?]*[ -/]*[@-~]/gu;
const controlCharacter = /[^\P{Cc}\s\u0085]/gu;

const internalTag = /<(\/?)internal(?:\s[^<>]*|\/)?>/gi;

/**
 * The part of a reply that is speech. Invisible characters go first, so that they can neither hide a word nor
 * a tag; then each `<internal>` block, with all that is nested in it, becomes a line break, never glue. A block
 * that is not closed hides the rest.
 */
export function visibleText(text: string): string {
  return withoutInternalBlocks(
    text.replace(withoutInk, '').replace(controlSequence, '').replace(controlCharacter, ''),
  );
}

function withoutInternalBlocks(text: string): string {
  const spoken: string[] = [];
  let depth = 0;
  let start = 0;
  for (const tag of text.matchAll(internalTag)) {
    const closes = tag[1] === '/';
    // A closing tag without a block is plain text.
    if (closes && depth === 0) continue;
    if (depth === 0) spoken.push(text.slice(start, tag.index));
    if (closes) depth -= 1;
    else if (!tag[0].endsWith('/>')) depth += 1;
    start = tag.index + tag[0].length;
  }
  if (depth === 0) spoken.push(text.slice(start));
  return spoken.join('\n');
}
