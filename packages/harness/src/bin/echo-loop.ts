#!/usr/bin/env node
// The echo loop as a process.
import { echoHarness } from '../echo.ts';
import { serve } from '../serve.ts';

serve(echoHarness);
