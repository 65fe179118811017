/**
 * Agents' requests: each gets exactly one answer, those of one agent are begun
 * in the order in which they come, and all that are under way end at once when
 * the user stops the agent.
 */
import {Code, Failure, STOPPED, wireError} from './wire.js';
import {Sequence} from './sequence.js';

/** @typedef {import('./wire.js').Message} Message */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Agent} Agent */

/** Runs several commands of a session: see sequence.js. */
const RUN = 'Sidekick.run';

/** The longest that a browser-level request may hold up the ones behind it. */
const STEP_MS = 20_000;

/**
 * A request that was not answered yet.
 * @typedef {{
 *   id: number, sessionId: string | undefined, method: string, params: any, open: boolean,
 *   sequence?: Sequence,
 * }} Request
 */

/** The requests of one agent. */
class Lane {
  /** @type {Set<Request>} */
  open = new Set();
  /** @type {Request[]} not begun yet */
  waiting = [];
  /** A request that holds up the others is under way. */
  busy = false;
}

export class Requests {
  #state;
  #targets;
  #debuggers;
  #send;
  #emit;
  /** @type {Map<string, Lane>} by agent */
  #lanes = new Map();

  /**
   * @param {{
   *   state: State,
   *   targets: {call: (agent: Agent, method: string, params: any) => any},
   *   debuggers: Pick<import('./debuggers.js').Debuggers, 'command' | 'expect'>,
   *   send: (m: Message) => void,
   *   emit: (agent: Agent, m: Message) => void,
   * }} parts
   */
  constructor({state, targets, debuggers, send, emit}) {
    this.#state = state;
    this.#targets = targets;
    this.#debuggers = debuggers;
    this.#send = send;
    this.#emit = emit;
  }

  /**
   * Takes a request of an agent.
   * @param {Message} m
   */
  handle(m) {
    const {id, sessionId, method, params} = m;
    if (typeof id !== 'number' || typeof method !== 'string') return;
    const agent = this.#state.agents.get(m.agent ?? '');
    if (!agent) {
      this.#send({
        id, agent: m.agent, sessionId,
        error: {code: Code.BadRequest, message: `The extension was not told of the agent ${JSON.stringify(m.agent ?? '')}.`},
      });
      return;
    }
    let lane = this.#lanes.get(agent.info.id);
    if (!lane) this.#lanes.set(agent.info.id, lane = new Lane());
    /** @type {Request} */
    const r = {id, sessionId, method, params, open: true};
    lane.open.add(r);
    if (lane.busy) lane.waiting.push(r);
    else this.#begin(agent, lane, r);
  }

  /**
   * Begins a request. A command of a tab is with Chrome when this returns; a
   * browser-level one holds up the requests behind it, which may be about the
   * tab that it makes or attaches.
   * @param {Agent} agent
   * @param {Lane} lane
   * @param {Request} r
   */
  #begin(agent, lane, r) {
    try {
      if (agent.stopped) throw new Failure(Code.Stopped, STOPPED);
      if (r.sessionId) {
        const session = r.sessionId;
        if (r.method === RUN) {
          r.sequence = new Sequence(r.params,
            (method, params) => this.#debuggers.command(agent, session, method, params),
            (result) => this.#answer(agent, lane, r, result));
          for (const {method} of r.params.steps) this.#debuggers.expect(agent, session, method);
          r.sequence.run();
          return;
        }
        this.#debuggers.command(agent, session, r.method, r.params).then(
          (result) => this.#answer(agent, lane, r, result),
          (e) => this.#fail(agent, lane, r, e));
        return;
      }
      const result = this.#targets.call(agent, r.method, r.params);
      if (!(result instanceof Promise)) {
        this.#answer(agent, lane, r, result);
        return;
      }
      lane.busy = true;
      this.#hold(agent, lane, r, result);
    } catch (e) {
      this.#fail(agent, lane, r, e);
    }
  }

  /**
   * A dialog opens in a tab: its page answers nothing more, so sequences end with
   * what they have. What is to be done about the rest is the agent's to say.
   * @param {Agent} agent
   * @param {string} number of the tab
   */
  interrupt(agent, number) {
    for (const r of this.#lanes.get(agent.info.id)?.open ?? []) {
      if (r.sessionId === number || r.sessionId?.startsWith(number + ':')) r.sequence?.end('dialog');
    }
  }

  /**
   * A session of a frame is over: Chrome answers no more of what was asked in it.
   * @param {Agent} agent
   * @param {string} sessionId
   */
  detached(agent, sessionId) {
    const lane = this.#lanes.get(agent.info.id);
    if (!lane) return;
    for (const r of [...lane.open]) {
      if (r.sessionId !== sessionId) continue;
      if (r.sequence) r.sequence.end('detached');
      else this.#fail(agent, lane, r, new Failure(Code.CDP, 'Inspected target navigated or closed'));
    }
  }

  /**
   * Nobody waits for a request any more. A sequence begins nothing further and
   * says how far it came; what is one command is with Chrome already.
   * @param {string | undefined} agent its id
   * @param {unknown} id of the request
   */
  cancel(agent, id) {
    for (const r of this.#lanes.get(agent ?? '')?.open ?? []) {
      if (r.id === id) r.sequence?.end('cancel');
    }
  }

  /**
   * An agent has left: nothing that it asked for is begun any more.
   * @param {Agent} agent
   */
  left(agent) {
    const lane = this.#lanes.get(agent.info.id);
    if (lane) forget(lane);
  }

  /**
   * @param {Agent} agent
   * @param {Lane} lane
   * @param {Request} r
   * @param {Promise<any>} result
   */
  async #hold(agent, lane, r, result) {
    /** @type {any} */
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Failure(Code.CDP,
        `Chrome did not finish ${r.method} within ${STEP_MS / 1000} s; its outcome is unknown: list your tabs.`)), STEP_MS);
    });
    try {
      this.#answer(agent, lane, r, await Promise.race([result, late]));
    } catch (e) {
      this.#fail(agent, lane, r, e);
    } finally {
      clearTimeout(timer);
    }
    lane.busy = false;
    while (!lane.busy) {
      const next = lane.waiting.shift();
      if (!next) break;
      if (next.open) this.#begin(agent, lane, next);
    }
  }

  /** @param {Agent} agent @param {Lane} lane @param {Request} r @param {any} result */
  #answer(agent, lane, r, result) {
    if (!r.open) return;
    r.open = false;
    lane.open.delete(r);
    this.#send({id: r.id, agent: agent.info.id, sessionId: r.sessionId, result: result ?? {}});
  }

  /** @param {Agent} agent @param {Lane} lane @param {Request} r @param {unknown} e */
  #fail(agent, lane, r, e) {
    if (!r.open) return;
    r.open = false;
    lane.open.delete(r);
    r.sequence?.end('gone');
    this.#send({id: r.id, agent: agent.info.id, sessionId: r.sessionId, error: wireError(e)});
  }

  /**
   * The user stops an agent: what is under way ends now, whatever the page does.
   * @param {Agent} agent
   */
  stop(agent) {
    if (agent.stopped) return;
    agent.stopped = true;
    this.#state.changed(agent);
    const lane = this.#lanes.get(agent.info.id);
    if (lane) {
      for (const r of [...lane.open]) this.#fail(agent, lane, r, new Failure(Code.Stopped, STOPPED));
    }
    this.#emit(agent, {method: 'Sidekick.stopped', params: {message: STOPPED}});
  }

  /** @param {Agent} agent */
  resume(agent) {
    if (!agent.stopped) return;
    agent.stopped = false;
    this.#state.changed(agent);
    this.#emit(agent, {method: 'Sidekick.resumed', params: {}});
  }

  /**
   * The link broke: the helper has answered for what was under way, and its next
   * one counts anew, so nothing old may be sent.
   */
  forgetAll() {
    for (const lane of this.#lanes.values()) forget(lane);
  }
}

/** @param {Lane} lane */
function forget(lane) {
  for (const r of lane.open) {
    r.open = false;
    r.sequence?.end('gone');
  }
  lane.open.clear();
  lane.waiting.length = 0;
}
