const DATE_CHARACTERS = 'YYYY-MM-DD'.length;

/** A time to come, as a person says it: local, such as `14:05`, with its date where that is not today. */
export function timeWords(at: number, now: number): string {
  const [date, time] = localParts(at);
  return date === localParts(now)[0] ? time : `${date} ${time}`;
}

function localParts(at: number): readonly [date: string, time: string] {
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  const iso = new Date(at - offsetMs).toISOString();
  return [iso.slice(0, DATE_CHARACTERS), iso.slice(DATE_CHARACTERS + 1, DATE_CHARACTERS + 'THH:MM'.length)];
}
