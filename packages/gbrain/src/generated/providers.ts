// Written by npm run generate from areas/*/*.provider.ts; do not edit.
import type { Provider } from '../provider.ts';
import type { Registered } from '../registry.ts';
import modelsAnthropic from '../areas/models/anthropic.provider.ts';
import modelsCohere from '../areas/models/cohere.provider.ts';
import modelsCompatible from '../areas/models/compatible.provider.ts';
import modelsGoogle from '../areas/models/google.provider.ts';
import modelsLlamaServer from '../areas/models/llama-server.provider.ts';
import modelsLmStudio from '../areas/models/lm-studio.provider.ts';
import modelsMistral from '../areas/models/mistral.provider.ts';
import modelsOllama from '../areas/models/ollama.provider.ts';
import modelsOpenai from '../areas/models/openai.provider.ts';
import modelsVoyage from '../areas/models/voyage.provider.ts';

export const providers: readonly Registered<Provider>[] = [
  { area: 'models', file: 'anthropic.provider.ts', value: modelsAnthropic },
  { area: 'models', file: 'cohere.provider.ts', value: modelsCohere },
  { area: 'models', file: 'compatible.provider.ts', value: modelsCompatible },
  { area: 'models', file: 'google.provider.ts', value: modelsGoogle },
  { area: 'models', file: 'llama-server.provider.ts', value: modelsLlamaServer },
  { area: 'models', file: 'lm-studio.provider.ts', value: modelsLmStudio },
  { area: 'models', file: 'mistral.provider.ts', value: modelsMistral },
  { area: 'models', file: 'ollama.provider.ts', value: modelsOllama },
  { area: 'models', file: 'openai.provider.ts', value: modelsOpenai },
  { area: 'models', file: 'voyage.provider.ts', value: modelsVoyage },
];
