import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** For upstreams that compress although they are asked not to. */
const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Reads an answer while it goes its way, decompressed; what takes it must not change the bytes. Resolves when no
 * more will come, however the answer ended. Never rejects: what cannot be decompressed is just not read.
 */
export function readAlong(answer: IncomingMessage, take: (chunk: Uint8Array) => void): Promise<void> {
  const decompressor = decompressors[answer.headers['content-encoding']?.trim().toLowerCase() ?? ''];
  if (decompressor === undefined) {
    answer.on('data', take);
    return closed(answer);
  }
  const plain = decompressor();
  // A broken stream ends the reading only: the client gets the same bytes and judges for itself.
  plain.on('error', () => undefined);
  plain.on('data', take);
  answer.pipe(plain);
  answer.once('close', () => {
    if (!plain.writableEnded) plain.end();
  });
  return closed(plain);
}

function closed(stream: IncomingMessage | Transform): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
  });
}
