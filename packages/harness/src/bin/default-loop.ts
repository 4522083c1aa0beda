#!/usr/bin/env node
// The model-and-tools loop as a process: Brain's default registration.
import { loopHarness } from '../loop/loop.ts';
import { serve } from '../serve.ts';

serve(loopHarness);
