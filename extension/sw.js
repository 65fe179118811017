/** The service worker: all it does is in worker/. */
import {start} from './worker/worker.js';

start();
