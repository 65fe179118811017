/**
 * `Sidekick.run`: several CDP commands of one session in one message, of which
 * each may use what an earlier one was answered with. The agent is five
 * processes away; a click that had to come and go for each step would take
 * three times as long.
 */
import {Code, Failure, wireError} from './wire.js';

/**
 * A value of an earlier step's answer that a step needs: with `as` it becomes
 * that parameter, without it must only be there.
 * @typedef {{from: number, path: string, as?: string}} Use
 *
 * A step is begun in its turn, at once; with `await` only when all before it
 * were answered. One whose values are not there is not run; the next ones are.
 * @typedef {{method: string, params?: any, uses?: Use[], await?: boolean}} Step
 *
 * @typedef {{result: any} | {error: import('./wire.js').WireError}} Answer
 *
 * What a sequence is answered with: null for a step that was begun and not answered. `ended`
 * says why it ended before its time.
 * @typedef {{answers: (Answer | null)[], ended?: 'dialog' | 'detached' | 'cancel' | 'gone'}} Outcome
 */

/** The most steps of one sequence. */
const MAX_STEPS = 500;

export class Sequence {
  /** @type {Step[]} */
  #steps;
  #begin;
  /** @type {(Answer | null)[]} */
  #answers;
  /** @type {Promise<void>[]} */
  #settled = [];
  #open = true;
  #done;

  /**
   * @param {any} params of `Sidekick.run`
   * @param {(method: string, params: any) => Promise<any>} begin sends a command in this very
   *   task, or throws
   * @param {(result: Outcome) => void} done is called once, in the task in which it ends
   * @throws {Failure} for steps that make no sense; nothing was sent then
   */
  constructor(params, begin, done) {
    this.#steps = checked(params?.steps);
    this.#begin = begin;
    this.#done = done;
    this.#answers = this.#steps.map(() => null);
  }

  /**
   * Ends it: nothing more is begun, and what was answered is the answer. (A
   * dialog opened, and the page answers nothing while it is there; or whoever
   * wanted this has left.)
   * @param {Outcome['ended']} [why]
   */
  end(why) {
    if (!this.#open) return;
    this.#open = false;
    if (!why) {
      this.#done({answers: this.#answers});
      return;
    }
    const answers = this.#answers.map((a, i) => (i in this.#settled ? a
      : {error: {code: Code.NotRun, message: 'It was not run: the sequence ended before.'}}));
    this.#done({answers, ended: why});
  }

  /** Runs the steps; those that need no answer are with Chrome when this returns. */
  async run() {
    for (const [i, step] of this.#steps.entries()) {
      const needed = step.await ? this.#answers.keys() : (step.uses ?? []).map((u) => u.from);
      for (const n of needed) {
        if (n < i && !this.#answers[n]) await this.#settled[n];
      }
      if (!this.#open) return;
      this.#settled[i] = this.#run(i, step);
    }
    await Promise.all(this.#settled);
    this.end();
  }

  /** @param {number} i @param {Step} step */
  async #run(i, step) {
    /** @type {Answer} */
    let answer;
    try {
      const params = {...step.params};
      for (const u of step.uses ?? []) {
        const v = valueOf(this.#answers[u.from], u.path);
        if (u.as) params[u.as] = v;
      }
      answer = {result: await this.#begin(step.method, params) ?? {}};
    } catch (e) {
      answer = {error: wireError(e)};
    }
    // An answer that was given is not added to.
    if (this.#open) this.#answers[i] = answer;
  }
}

/**
 * @param {Answer | null} answer
 * @param {string} path "object.objectId"
 */
function valueOf(answer, path) {
  let v = answer && 'result' in answer ? answer.result : undefined;
  for (const key of path.split('.')) {
    v = v !== null && typeof v === 'object' && Object.hasOwn(v, key) ? v[key] : undefined;
  }
  if (v === undefined || v === null) {
    throw new Failure(Code.NotRun, `It was not run: an earlier step was not answered with ${path}.`);
  }
  return v;
}

/**
 * @param {any} steps
 * @returns {Step[]}
 */
function checked(steps) {
  const bad = (/** @type {string} */ what) => new Failure(Code.BadRequest, `Sidekick.run needs ${what}.`);
  if (!Array.isArray(steps) || !steps.length || steps.length > MAX_STEPS) throw bad(`1 to ${MAX_STEPS} steps`);
  steps.forEach((s, i) => {
    if (s === null || typeof s !== 'object' || typeof s.method !== 'string') throw bad(`a method in step ${i}`);
    if (s.uses !== undefined && !Array.isArray(s.uses)) throw bad(`a list of uses in step ${i}`);
    for (const u of s.uses ?? []) {
      if (!Number.isInteger(u?.from) || u.from < 0 || u.from >= i || typeof u.path !== 'string' ||
        u.as !== undefined && typeof u.as !== 'string') {
        throw bad(`an earlier step and a path in what step ${i} uses`);
      }
    }
  });
  return steps;
}
