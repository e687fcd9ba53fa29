// Builds the images as the tests do: for whoever has time for it before they run.
import { Project } from './engine.ts';

await new Project().build();
