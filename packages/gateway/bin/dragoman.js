#!/usr/bin/env node
// A version of Node that is too old must be able to read this file and to say so. It therefore needs nothing that is
// new, and loads the program only after the check.
import { runtimeFault } from './runtime.js'

var fault = runtimeFault(process.versions)

if (fault === null) {
  void import('../dist/program/main.js').then(function (program) {
    return program.main(process.argv.slice(2))
  })
} else {
  console.error('dragoman: ' + fault)
  process.exitCode = 1
}
