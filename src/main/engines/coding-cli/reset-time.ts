const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * When a banner says that a limit ends, in milliseconds since 1970; null where it does not say. Banners come as
 * `…limit reached|1760000000`, `resets 4pm (Europe/Berlin)`, `resets Apr 23 at 4:30pm (…)`, `try again at 12:16 PM` and
 * `try again in 2 hours 5 minutes`. Without a zone a time is the host's own.
 */
export function resetTimeIn(text: string, now: number): number | null {
  return epochIn(text) ?? spanIn(text, now) ?? timeOfDayIn(text, now);
}

function epochIn(text: string): number | null {
  const seconds = /\|(\d{10})\b/.exec(text)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

const SPANS = [
  [/(\d+)\s*d(?:ays?)?\b/i, DAY_MS],
  [/(\d+)\s*h(?:ours?|rs?)?\b/i, HOUR_MS],
  [/(\d+)\s*m(?:in(?:ute)?s?)?\b/i, MINUTE_MS],
] as const;

function spanIn(text: string, now: number): number | null {
  const span = /\b(?:resets?|again)\s+in\s+(.{1,60})/i.exec(text)?.[1];
  if (span === undefined) return null;
  const ms = SPANS.reduce((sum, [pattern, unit]) => sum + Number(pattern.exec(span)?.[1] ?? 0) * unit, 0);
  return ms === 0 ? null : now + ms;
}

const TIME_OF_DAY =
  /\b(?:resets?|again)\s+(?:at\s+|on\s+)?(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+\d{4})?,?\s+(?:at\s+)?)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\))?/i;

function timeOfDayIn(text: string, now: number): number | null {
  const found = TIME_OF_DAY.exec(text);
  if (found === null) return null;
  const [, monthName, day, hourText, minutes = '0', half = 'am', zone] = found;
  const hour = (Number(hourText) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const offset = zoneOffset(zone, now);
  if (offset === null) return null;
  const local = new Date(now + offset);
  const year = local.getUTCFullYear();
  const time = [hour, Number(minutes)] as const;
  if (monthName !== undefined) {
    const month = MONTHS.indexOf(monthName.toLowerCase());
    if (month === -1) return null;
    const thisYear = Date.UTC(year, month, Number(day), ...time) - offset;
    // Around New Year the month named is the next year's.
    return thisYear >= now - DAY_MS ? thisYear : Date.UTC(year + 1, month, Number(day), ...time) - offset;
  }
  const today = Date.UTC(year, local.getUTCMonth(), local.getUTCDate(), ...time) - offset;
  return today > now ? today : today + DAY_MS;
}

/** How far a zone's clocks are ahead of UTC now; null for a zone that there is not. */
function zoneOffset(zone: string | undefined, now: number): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? [];
    if (sign === undefined) return 0;
    const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
    return sign === '-' ? -ms : ms;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
