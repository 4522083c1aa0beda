// Turns what the model library throws into our faults; the only place that knows its error classes.
import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import { faultOfHttp, faultOfNetwork, ProviderFault, systemCodeOf } from '../provider-fault.ts';

/** The fault of a call that the library ended with `error`. */
export function faultOf(model: string, error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error;
  if (APICallError.isInstance(error)) {
    const { statusCode, responseBody, responseHeaders } = error;
    if (statusCode === undefined) return faultOfNetwork(model, error);
    // A refusal by status; with 200 it is an answer that could not be read.
    return faultOfHttp(
      model,
      { status: statusCode, body: (responseBody ?? '').slice(0, 4_000), headers: responseHeaders ?? {} },
      error,
    );
  }
  if (TypeValidationError.isInstance(error) || JSONParseError.isInstance(error)) {
    return new ProviderFault('invalid_response', model, { billed: 'unknown', cause: error });
  }
  if (systemCodeOf(error) !== undefined || error instanceof TypeError) return faultOfNetwork(model, error);
  return new ProviderFault('invalid_response', model, { billed: 'unknown', cause: error });
}

/** Runs a call of the library; its errors come out as `ProviderFault`. */
export async function guarded<T>(model: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw faultOf(model, error);
  }
}

/** A count that a provider reported; undefined where it reported none, or nonsense. */
export const countOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
