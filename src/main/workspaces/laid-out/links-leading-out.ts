import type { BytePath } from '../git/byte-path.ts';

/** Links followed on one way before the system gives up (path_resolution(7)): such a way leads nowhere. */
const MAX_LINKS_FOLLOWED = 40;

/**
 * Which links of a tree lead out of it: by an absolute target, or by more `..` than there are folders, through other
 * links too. One that dangles inside the tree leads nowhere, and stays.
 */
export function linksLeadingOut(links: ReadonlyMap<BytePath, string>): readonly BytePath[] {
  return [...links.keys()].filter((link) => leadsOut(link, links));
}

function leadsOut(link: BytePath, links: ReadonlyMap<string, string>): boolean {
  const at: string[] = [];
  const ahead = link.split('/').reverse();
  let followed = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      // The system takes `..` where the links before it have led to, not where the text says.
      if (at.pop() === undefined) return true;
      continue;
    }
    at.push(name);
    const target = links.get(at.join('/'));
    if (target === undefined) continue;
    followed += 1;
    if (followed > MAX_LINKS_FOLLOWED) return false;
    if (target.startsWith('/')) return true;
    at.pop();
    ahead.push(...target.split('/').reverse());
  }
  return false;
}
