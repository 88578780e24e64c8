import { testThirdPartyProjects } from './support/test-third-party.ts';
import { NODE_PROJECTS } from './support/third-party-projects.ts';

testThirdPartyProjects(NODE_PROJECTS);
