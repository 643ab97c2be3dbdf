import { describe, expect, it } from 'vitest'
import * as page from '../../../inspector/src/api.ts'
import * as own from '../../src/inspection/api-types.ts'

/** Compiles only where each type can stand in the place of the other. */
function same<One, Other>(): [One, Other] extends [Other, One] ? true : false
function same(): boolean {
  return true
}

describe('the gateway and the page', () => {
  it('mean the same by every type of the API', () => {
    const agreements: true[] = [
      same<own.Status, page.Status>(),
      same<own.ExampleRequest, page.ExampleRequest>(),
      same<own.ExchangePage, page.ExchangePage>(),
      same<own.ExchangeSummary, page.ExchangeSummary>(),
      same<own.ExchangeDetails, page.ExchangeDetails>(),
      same<own.StagePart, page.StagePart>(),
      same<own.AskedAgain, page.AskedAgain>(),
    ]
    expect(agreements).toHaveLength(7)
    expect(own.stageIds).toEqual(page.stageIds)
  })
})
