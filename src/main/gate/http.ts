/**
 * Node's HTTP. An `import` reads each of its exports, one of which loads all that `fetch` needs: 20 ms and 13 MB at the
 * host's start, for a host that may never call a model.
 */
export const http = process.getBuiltinModule('node:http');
