import type { Failure } from '../../../shared/kernel/result.ts';
import type { CliFailure } from '../../ports/coding-cli.ts';

/** Why there is no new image. */
export interface ImageFailure extends Failure {
  readonly tag: CliFailure['tag'] | 'base_missing' | 'build_failed' | 'bad_certificate';
}

/** The build was interrupted. */
export const stopped: ImageFailure = {
  tag: 'stopped',
  message: 'The build was stopped.',
  next: 'Run it again to go on: the steps that were finished are kept.',
};
