import { render } from 'preact'
import { App } from './view/app.tsx'

const page = document.getElementById('page')
if (page !== null) {
  page.replaceChildren()
  render(<App />, page)
}
