/**
 * Size limits of the hop to the native host. Chrome takes at most 1 MB in one
 * message from a host and ends the port over it, so the host cuts what is
 * longer into parts, joined here; in the other direction 64 MiB are the limit.
 */

/** @typedef {import('./wire.js').Part} Part */

/** The longest message, in bytes of its JSON, that Chrome gives to a host. */
export const MAX_FRAME = 64 << 20;

/** More parts than a message of MAX_FRAME can have is nonsense. */
const MAX_PARTS = 256;
/** How many messages may be half here at once; the oldest gives way. */
const MAX_OPEN = 64;

/** Joins the parts of long messages; parts of several may be interleaved. */
export class Joiner {
  /** @type {Map<number, {total: number, pieces: Uint8Array[], bytes: number}>} */
  #open = new Map();

  /**
   * Takes one part.
   * @param {Part} part
   * @returns {any} the message, or undefined while parts of it are missing
   * @throws {Error} when the part does not follow the ones before it, or the
   *   whole is no JSON; what was there of that message is dropped
   */
  add(part) {
    const {message, index, total, data} = part;
    if (!Number.isInteger(total) || total < 1 || total > MAX_PARTS) {
      this.#open.delete(message);
      throw new Error(`a message in ${total} parts`);
    }
    let m = this.#open.get(message);
    if (index === 0) {
      m = {total, pieces: [], bytes: 0};
      this.#open.delete(message);
      this.#open.set(message, m);
      if (this.#open.size > MAX_OPEN) this.#open.delete(this.#open.keys().next().value ?? 0);
    }
    if (!m || m.total !== total || m.pieces.length !== index) {
      this.#open.delete(message);
      throw new Error(`part ${index} of message ${message} came out of order`);
    }
    const piece = fromBase64(data);
    m.bytes += piece.length;
    if (m.bytes > MAX_FRAME) {
      this.#open.delete(message);
      throw new Error(`message ${message} is over ${MAX_FRAME} bytes`);
    }
    m.pieces.push(piece);
    if (m.pieces.length < total) return undefined;
    this.#open.delete(message);
    const whole = new Uint8Array(m.bytes);
    let at = 0;
    for (const p of m.pieces) {
      whole.set(p, at);
      at += p.length;
    }
    return JSON.parse(new TextDecoder().decode(whole));
  }

  /** Forgets half messages: their sender is gone. */
  clear() {
    this.#open.clear();
  }
}

/**
 * @param {string} s
 * @returns {Uint8Array}
 */
function fromBase64(s) {
  const native = /** @type {any} */ (Uint8Array).fromBase64; // Chrome 140 on
  if (native) return native.call(Uint8Array, s);
  const binary = atob(s);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/**
 * Whether a message is too long for the host. Nearly every message is told
 * short by adding up its strings; only what comes near the limit is encoded to
 * be measured.
 * @param {unknown} message
 */
export function tooLarge(message) {
  // A character takes at most six bytes (\u0000), a bare value at most 32.
  if (roughSize(message) * 6 <= MAX_FRAME) return false;
  return new TextEncoder().encode(JSON.stringify(message)).length > MAX_FRAME;
}

/**
 * A cheap measure: six times it is never less than the bytes of the JSON.
 * @param {unknown} value
 */
function roughSize(value) {
  let size = 0;
  const todo = [value];
  while (todo.length) {
    const v = todo.pop();
    if (typeof v === 'string') size += v.length + 4;
    else if (v === null || typeof v !== 'object') size += 6;
    else if (Array.isArray(v)) {
      size += 2;
      for (const e of v) todo.push(e);
    } else {
      size += 2;
      for (const k in v) {
        size += k.length + 4;
        todo.push(/** @type {any} */ (v)[k]);
      }
    }
  }
  return size;
}
