/** What is said in the scenario, by people and by agents: the driver, the model and the test know it from here. */

/** A person's messages. A task is known by its own. */
export const requests = {
  settled: 'SETTLE: keep a log of what you do in log.txt.',
  stopped: 'STOP: begin something that takes long.',
  superseded: 'GIVE WAY: say hello in hello.txt.',
  last: 'GO ON: say goodbye in hello.txt too.',
} as const;

export const words = {
  /** Sent while the last task's owner is at work. */
  followUp: 'AND ALSO: say "until soon" in hello.txt.',
  /** The person's answer to the one escalation. */
  answer: 'CARRY ON with a third line.',
  ruling: 'START OVER from the base.',
} as const;

/** Commands whose effect would show if they were carried out twice. */
export const effects = {
  first: { path: 'log.txt', line: 'first' },
  second: { path: 'log.txt', line: 'second' },
  third: { path: 'log.txt', line: 'third' },
  begun: { path: 'begun.txt', line: 'begun' },
  goodbye: { path: 'hello.txt', line: 'goodbye' },
  untilSoon: { path: 'hello.txt', line: 'until soon' },
} as const;

export type LineOnce = (typeof effects)[keyof typeof effects];

export function appending({ path, line }: LineOnce): string {
  return `echo '${line}' >> ${path}`;
}

/** Outlives the death of its terminal, so that only someone who looks for it ends it. */
export const longCommand = "trap '' HUP; sleep 600";

/** Holds the last task's owner until the person has said more. The file lies beside the work, not in it. */
export function waitingFor(goFile: string): string {
  return `until test -f '${goFile}'; do sleep 0.02; done`;
}
