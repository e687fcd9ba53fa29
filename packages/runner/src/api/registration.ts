// Registers a runner at the api, and sends its heartbeats.

import { ApiDenied, ApiRefusal } from '@pronghorn/core/client';
import { oneLine, type RunnerHeartbeat, type RunnerRegistration } from '@pronghorn/core/schemas';
import { cpuShareMeter } from '../machine/cpu-gauge.ts';
import type { ApiClient } from './api-client.ts';

export interface RegistrationOptions {
  api: ApiClient;
  registration: RunnerRegistration;
  warned(message: string): void;
  /** Called after each registration: the api has then forgotten everything else, too. */
  onRegistered(runnerId: string): void;
  /** Called when the api rejects this process for good. */
  onDenied(error: ApiRefusal): void;
}

export class Registration {
  readonly #options: RegistrationOptions;
  readonly #cpuShare = cpuShareMeter();
  #runnerId = '';
  #timer: NodeJS.Timeout | undefined;
  #doing: RunnerHeartbeat['doing'] = 'working';
  #trouble: string | null = null;
  /** Numbers heartbeats, which may overtake each other. */
  #sequence = 0;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /**
   * Registers, however long the api is unavailable, then sends heartbeats.
   * @param signal ends the waiting
   */
  async begin(signal: AbortSignal): Promise<void> {
    const { onRegistered, warned } = this.#options;
    const runner = await this.#options.api.register(this.#options.registration, signal);
    this.#runnerId = runner.id;
    if (runner.versionWords !== null) warned(runner.versionWords);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#sign(), runner.heartbeatMs);
    onRegistered(runner.id);
  }

  /** Reports why the runner can't work, once when that changes; null: it can. */
  trouble(words: string | null): void {
    if (words === this.#trouble) return;
    this.#trouble = words === null ? null : oneLine(words).slice(0, 2000) || 'no words';
    this.#options.warned(words === null ? 'The problem is solved.' : words);
    void this.#sign();
  }

  say(doing: RunnerHeartbeat['doing']): void {
    this.#doing = doing;
    void this.#sign();
  }

  /** The next round. @returns null when the runner had to register again first. @throws ApiRefusal, ApiDenied */
  async lease(signal: AbortSignal): Promise<Awaited<ReturnType<ApiClient['lease']>> | null> {
    const { api, registration } = this.#options;
    try {
      return await api.lease({ runner: registration.name, instance: registration.instance }, signal);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
      await this.begin(signal);
      return null;
    }
  }

  /** Signs off. An api that misses this notices by itself. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#doing = 'stopped';
    if (this.#runnerId !== '') await this.#sign();
  }

  async #sign(): Promise<void> {
    const { api, registration, onDenied } = this.#options;
    if (this.#runnerId === '') return;
    this.#sequence += 1;
    const heartbeat: RunnerHeartbeat = {
      instance: registration.instance,
      sequence: this.#sequence,
      doing: this.#doing,
      trouble: this.#trouble,
      cpuShare: this.#cpuShare(),
    };
    try {
      await api.signOfLife(this.#runnerId, heartbeat);
    } catch (error) {
      // A forgotten runner registers when it next asks for work.
      if (error instanceof ApiDenied || (error instanceof ApiRefusal && error.type.endsWith(':runner-replaced'))) onDenied(error);
    }
  }
}
