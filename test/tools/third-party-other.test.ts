import { testThirdPartyProjects } from './support/test-third-party.ts';
import { OTHER_PROJECTS } from './support/third-party-projects.ts';

testThirdPartyProjects(OTHER_PROJECTS);
