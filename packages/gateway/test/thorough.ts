export { isThorough } from '../../core/test/support/thorough.ts'
