// Tests of `hooks/mod.js`, which `claude plugin test` runs in the environment of a mod. `test_mod.py` starts them.
import { describe, expect, mock, test } from 'claude-code/testing'

const BLOCK = '<memory-context source=".claude/memory/">\n- [RUNBOOK] Rotate the keys\n- [DECISION] Use one queue -> queue\n</memory-context>'
const KEYS = { id: 'rotate-the-keys', category: 'RUNBOOK', path: '.claude/memory/runbooks/keys.json', outcome: 'full', title: 'Rotate the keys' }
const QUEUE = { id: 'queue', category: 'DECISION', path: '.claude/memory/decisions/queue.json', outcome: 'gist', title: 'Use one queue' }
const DRAFT = { id: 'd1', draft: { category: 'decision', partial_content: { title: 'Use \u001b[31mPostgreSQL\u202e', content: { decision: 'one database', rationale: ['simple', 'known'] } } } }
const TEXT = 'd1  create decision: Use PostgreSQL\n  if you accept it: created .claude/memory/decisions/pg.json\n  decision: one database'
const HITS = [{ path: KEYS.path, category: 'RUNBOOK', title: 'Rotate the keys', probability: 0.83, trust: 'reviewed', parts: [{ kind: 'title', token: 'keys', points: 4000 }, { kind: 'title', token: 'the', points: 8 }, { kind: 'semantic', token: '', points: 900 }] }]
const BAND = { component: 'AbovePrompt', props: { hasSurvey: false, isCollapsed: false, isWorking: false, maxRows: 10, bodyColumns: 110, scroll: { offset: 0, bodyRows: 10, contentRows: 1 }, view: {} } } as const
const PANE = { component: 'Pane', requestId: 'cuecard', props: { id: 'cuecard', title: 'cuecard', isFocused: true, bodyColumns: 60, placement: 'dock', scroll: { offset: 0, bodyRows: 30, contentRows: 1 }, view: {} } } as const
const SURFACES = ['terminal', 'desktop', 'vscode'] as const

const ended = (stdout: string, exitCode = 0, stderr = '') => ({ value: { exitCode, stdout, stderr, isStdoutTruncated: false, isStderrTruncated: false } })
const json = (value: unknown) => ended(JSON.stringify(value))

/** Stands in for cuecard's programs: answers what the mod starts, and keeps it. */
function played(on: any, answers: Record<string, unknown> = {}) {
  const ran: { words: string[], stdin?: string, timeoutMs?: number, env?: Record<string, string> }[] = []
  mock.store(on)
  on('process.run', ($: any, e: any) => {
    const [shell, file, ...words] = e.argv
    ran.push({ words: [shell, file.split('/').slice(-2).join('/'), ...words], stdin: e.stdin ?? e.init?.stdin, timeoutMs: e.timeoutMs ?? e.init?.timeoutMs, env: e.env ?? e.init?.env })
    const verb = words[0] === 'review' ? `review ${words[1]}` : words[0]
    const known: Record<string, any> = {
      shown: json({ event: '2026-01-01T00:00:00Z', session: 's1', memories: [KEYS, QUEUE], waiting: 1 }),
      wrong: json({ what: 'wrong', id: 'v1', name: 'keys', new: true }), good: json({ what: 'good', id: 'v2', name: 'keys', new: true }),
      undo: json({ what: 'taken back', id: null, name: 'keys', new: true }),
      recall: json({ hits: HITS }), search: json({ hits: HITS }), show: ended('title: Rotate the keys\nstatus: active'), why: ended('shown with its text: place 1 of 2\nsession s1\ngate    83% sure'),
      'review list': json({ drafts: [DRAFT] }), 'review show': ended(TEXT),
      'review accept': json({ drafts: [{ id: 'd1', waits: false, status: 'created' }], undo: 'o1' }),
      'review reject': json({ rejected: ['d1'], undo: ['d:d1'] }), 'review edit': json({ drafts: [DRAFT], undo: 'e1' }),
    }
    const answer = answers[verb] ?? known[verb]
    return typeof answer === 'function' ? answer() : answer
  })
  on('session.root', () => ({ value: '/project' }))
  on('classic.UserPromptSubmit', () => ({ additionalContext: ['the time is 12:00', BLOCK] }))
  return ran
}

const verbs = (ran: { words: string[] }[]) => ran.map(one => one.words.slice(1).join(' '))
const band = ($: any, surface: any = 'terminal') => $.ui.mount({ plugin: 'cuecard', surface, ...BAND })
const pane = ($: any, surface: any = 'terminal') => $.ui.mount({ plugin: 'cuecard', surface, ...PANE })
/** Submits a prompt, and lets the time pass after which the mod looks up what was shown. */
async function submit($: any) {
  const result = await $.classic.UserPromptSubmit({ prompt: 'how do we rotate the keys?', prompt_id: 'p1', session_id: 's1', cwd: '/project' })
  await new Promise(done => setTimeout(done, 700))
  return result
}

describe('it only shows', () => {
  test('what the settings hooks answer goes through as it is', async ($: any, on: any) => {
    played(on)
    await band($)
    expect((await submit($)).additionalContext).toEqual(['the time is 12:00', BLOCK])
  })

  test('no program is started where nothing is drawn', async ($: any, on: any) => {
    const ran = played(on)
    await submit($)
    expect(ran).toEqual([])
  })

  test('a failure of the program leaves the answer and the band alone', async ($: any, on: any) => {
    played(on, { shown: () => ({ deny: 'no such program' }) })
    const ui = await band($)
    expect((await submit($)).additionalContext).toHaveLength(2)
    expect(await ui.find({ type: 'Text', text: /shown/ })).toBeUndefined()
  })

  test('what an earlier prompt was shown is not taken for this one', async ($: any, on: any) => {
    played(on, { shown: json({ memories: [{ ...KEYS, id: 'older', title: 'An older one', path: 'older.json' }], waiting: 0 }) })
    const ui = await band($)
    await submit($)
    expect(await ui.find({ type: 'Text', text: /shown/ })).toBeUndefined()
  })

  test('after a prompt the hook alone is started, with two seconds', async ($: any, on: any) => {
    const ran = played(on)
    const ui = await band($)
    await submit($)
    await ui.find({ type: 'Text', text: /2 shown/ })
    expect(ran.map(one => [one.words, one.timeoutMs, one.env])).toEqual([
      [['/bin/sh', 'hooks/cuecard-hook.sh', 'shown', '--session', 's1', '--json'], 2000, { CLAUDE_PROJECT_DIR: '/project' }]])
  })
})

describe('the band', () => {
  for (const surface of SURFACES) {
    test(`a verdict is one press, and is taken back by its id, on ${surface}`, async ($: any, on: any) => {
      const ran = played(on)
      const ui = await band($, surface)
      await submit($)
      expect(await ui.find({ type: 'Text', text: /2 shown/ })).toBeDefined()
      expect(await ui.find({ type: 'Text', text: /1 wait/ })).toBeDefined()
      await ui.press({ key: `wrong:${KEYS.path}` })
      expect(verbs(ran).at(-1)).toBe(`bin/cuecard wrong ${KEYS.path} --session s1 --json`)
      expect(await ui.find({ type: 'Text', text: /wrong: Rotate/ })).toBeDefined()
      expect(await ui.find({ key: `wrong:${KEYS.path}` })).toBeUndefined()
      await ui.press({ key: 'undo' })
      expect(verbs(ran).at(-1)).toBe('bin/cuecard undo v1 --json')
      expect(await ui.find({ key: `wrong:${KEYS.path}` })).toBeDefined()
    })
  }

  test('no button has a digit as its key', async ($: any, on: any) => {
    played(on)
    const ui = await band($)
    await submit($)
    const keys = (await ui.findAll({ type: 'Button' })).map((button: any) => button.props?.hotkey ?? button.hotkey)
    expect(keys).toEqual(['a', 'b'])
  })

  test('a verdict that fails says why', async ($: any, on: any) => {
    played(on, { wrong: ended('', 1, 'error: `keys` was not shown yet\nhint: x\n') })
    const ui = await band($)
    await submit($)
    await ui.find({ type: 'Text', text: /2 shown/ })
    await ui.press({ key: `wrong:${KEYS.path}` })
    expect(await ui.find({ type: 'Text', text: /was not shown yet/ })).toBeDefined()
  })

  test('it is gone after a prompt without memories', async ($: any, on: any) => {
    let block: string[] = [BLOCK]
    mock.store(on)
      on('process.run', () => json({ memories: [KEYS], waiting: 0 }))
    on('session.root', () => ({ value: '/project' }))
    on('classic.UserPromptSubmit', () => ({ additionalContext: block }))
    const ui = await band($)
    await submit($)
    expect(await ui.find({ type: 'Text', text: /1 shown/ })).toBeDefined()
    block = []
    await submit($)
    expect(await ui.find({ type: 'Text', text: /shown/ })).toBeUndefined()
  })
})

describe('the commands ask the model nothing', () => {
  test('/wrong takes a letter, an id and undo', async ($: any, on: any) => {
    const ran = played(on)
    const ui = await band($)
    await submit($)
    await ui.find({ type: 'Text', text: /2 shown/ })
    expect(await $.command.run({ command: 'wrong' })).toMatchObject({ text: 'which one? a: Rotate the keys · b: Use one queue', isTextDisplayOnly: true })
    expect((await $.command.run({ command: 'wrong', args: 'b' })).text).toBe('wrong: Use one queue')
    expect(verbs(ran).at(-1)).toBe(`bin/cuecard wrong ${QUEUE.path} --session s1 --json`)
    expect((await $.command.run({ command: 'wrong', args: 'undo' })).text).toBe('taken back')
    expect((await $.command.run({ command: 'wrong', args: 'rotate-the-keys' })).text).toBe('wrong: Rotate the keys')
  })

  test('before any memory was shown, /wrong says so', async ($: any, on: any) => {
    played(on)
    expect((await $.command.run({ command: 'wrong', args: 'a' })).text).toBe('nothing was shown for the last prompt')
  })
})

describe('the pane', () => {
  for (const surface of SURFACES) {
    test(`why, a verdict, the inbox and a search, on ${surface}`, async ($: any, on: any) => {
      const ran = played(on)
      on('ui.open', () => ({ value: { isPlaced: true } }))
      const above = await band($, surface)
      await submit($)
      await above.find({ type: 'Text', text: /2 shown/ })
      expect((await $.command.run({ command: 'memories' })).text).toBe('2 shown, 1 draft in the inbox')
      const ui = await pane($, surface)
      expect(await ui.find({ type: 'Text', text: /shown with its text · “keys” in its title · near in meaning · 83% sure/ })).toBeDefined()
      expect(ran.find(one => one.words[2] === 'recall')?.stdin).toBe('how do we rotate the keys?')
      await ui.press({ key: `pane-good:${KEYS.path}` })
      expect(await ui.find({ type: 'Text', text: /you said: good/ })).toBeDefined()
      await ui.press({ key: `more:${KEYS.path}` })
      expect(await ui.find({ type: 'Text', text: /place 1 of 2/ })).toBeDefined()
      expect(await ui.find({ type: 'Text', text: /session s1/ })).toBeUndefined()

      await ui.press({ key: 'tab:inbox' })
      expect(await ui.find({ type: 'Text', text: '[decision] Use [31mPostgreSQL' })).toBeDefined()
      await ui.press({ key: 'read:d1' })
      expect(await ui.find({ type: 'Text', text: /if you accept it: created/ })).toBeDefined()
      expect(await ui.find({ type: 'Text', text: 'the nearest memory' })).toBeDefined()
      await ui.press({ key: 'edit' })
      await ui.input({ key: 'edit:rationale', text: 'simple\nwell known' })
      const sent = JSON.parse(ran.find(one => one.words[3] === 'edit')!.stdin!)
      expect(sent.partial_content.content.rationale).toEqual(['simple', 'well known'])
      await ui.press({ key: 'done' })
      await ui.press({ key: 'accept' })
      expect(verbs(ran)).toContain('bin/cuecard review accept d1 --json')
      await ui.press({ key: 'undo' })
      expect(verbs(ran)).toContain('bin/cuecard undo o1 --json')

      await ui.press({ key: 'tab:search' })
      await ui.input({ key: 'search', text: '--help keys' })
      expect(ran.findLast(one => one.words[2] === 'search')?.stdin).toBe('--help keys')
      expect(await ui.find({ key: `more:${KEYS.path}` })).toBeDefined()
    })
  }

  test('a draft that has changed since it was shown is not accepted', async ($: any, on: any) => {
    let text = TEXT
    const ran = played(on, { 'review show': () => ended(text) })
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    await ui.press({ key: 'read:d1' })
    text = TEXT.replace('one database', 'another')
    await ui.press({ key: 'accept' })
    expect(verbs(ran).some(words => words.includes('accept'))).toBe(false)
    expect(await ui.find({ type: 'Text', text: /another/ })).toBeDefined()
    await ui.press({ key: 'accept' })
    expect(verbs(ran).some(words => words.includes('accept'))).toBe(true)
  })

  test('a draft shows its own text again after a memory was compared', async ($: any, on: any) => {
    played(on)
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    await ui.press({ key: 'read:d1' })
    await ui.press({ key: `nearest:${KEYS.path}` })
    expect(await ui.find({ type: 'Text', text: /status: active/ })).toBeDefined()
    await ui.press({ key: 'back' })
    expect(await ui.find({ type: 'Text', text: /status: active/ })).toBeUndefined()
    expect(await ui.find({ type: 'Text', text: /if you accept it: created/ })).toBeDefined()
  })

  test('a late answer stays with its own draft', async ($: any, on: any) => {
    const second = { id: 'd2', draft: { category: 'decision', partial_content: { title: 'Second', content: { decision: 'y' } } } }
    let answer = () => {}
    const late = new Promise<void>(done => { answer = done })
    let number = 0
    const ran = played(on, {
      'review list': json({ drafts: [DRAFT, second] }),
      'review show': () => ++number === 1 ? late.then(() => ended(TEXT)) : ended('d2  create decision: Second\n  decision: y'),
    })
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    const first = ui.press({ key: 'read:d1' })
    await new Promise(done => setTimeout(done, 100))
    await ui.press({ key: 'tab:inbox' })
    await ui.press({ key: 'read:d2' })
    answer()
    await first
    await new Promise(done => setTimeout(done, 100))
    expect(await ui.find({ type: 'Text', text: /create decision: Second/ })).toBeDefined()
    expect(await ui.find({ type: 'Text', text: /Use PostgreSQL/ })).toBeUndefined()
    expect(verbs(ran).filter(words => words.includes('review show'))).toEqual(['bin/cuecard review show d1', 'bin/cuecard review show d2'])
  })

  test('an edit is not undone by the next one, and no edit of others is lost', async ($: any, on: any) => {
    const draftOf = (title: string, decision: string) => ({ id: 'd1', draft: { category: 'decision', partial_content: { title, content: { decision } } } })
    let draft = draftOf('Old', 'one')
    const ran = played(on, {
      'review list': () => json({ drafts: [draft] }),
      'review show': () => ended(`d1  create decision\n  ${JSON.stringify(draft.draft)}`),
      'review edit': () => {
        draft = { id: 'd1', draft: JSON.parse(ran.findLast(one => one.words[3] === 'edit')!.stdin!) }
        return json({ drafts: [draft], undo: 'e1' })
      },
      undo: () => {
        draft = draftOf('Old', 'one')
        return json({ what: 'taken back', id: null, name: 'd1', new: true })
      },
    })
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    await ui.press({ key: 'read:d1' })
    await ui.press({ key: 'edit' })
    await ui.input({ key: 'edit:title', text: 'New' })
    expect(draft).toEqual(draftOf('New', 'one'))
    await ui.press({ key: 'undo' })
    await ui.input({ key: 'edit:decision', text: 'two' })
    expect(draft).toEqual(draftOf('Old', 'two'))

    draft = draftOf('Of another window', 'three')
    await ui.input({ key: 'edit:title', text: 'Mine' })
    expect(draft).toEqual(draftOf('Of another window', 'three'))
    const told = await ui.find({ type: 'Text', text: /the draft has changed/ })
    expect(told?.props?.color ?? told?.color).toBe('error')
    await ui.input({ key: 'edit:title', text: 'Mine' })
    expect(draft).toEqual(draftOf('Mine', 'three'))
  })

  test('a text that only a terminal shows cannot be accepted unseen', async ($: any, on: any) => {
    played(on, { 'review show': ended('d1  create decision: x\n  withheld: its text addresses the model') })
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    await ui.press({ key: 'read:d1' })
    expect(await ui.find({ key: 'accept' })).toBeUndefined()
    expect(await ui.find({ key: 'reject' })).toBeDefined()
  })

  test('a draft that is longer than the pane shows cannot be accepted', async ($: any, on: any) => {
    played(on, { 'review show': ended(TEXT + '\n  one more line'.repeat(200)) })
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    await ui.press({ key: 'read:d1' })
    expect(await ui.find({ type: 'Text', text: /83 lines more/ })).toBeDefined()
    expect(await ui.find({ key: 'accept' })).toBeUndefined()
  })

  test('texts are shown by the rule of the command line', async ($: any, on: any) => {
    const texts: [string, string][] = JSON.parse('TEXTS')
    const drafts = texts.map(([title], place) => ({ id: `t${place}`, draft: { category: 'decision', partial_content: { title } } })).slice(0, 10)
    played(on, { 'review list': json({ drafts }) })
    on('ui.open', () => ({ value: { isPlaced: true } }))
    await $.command.run({ command: 'memories' })
    const ui = await pane($)
    await ui.press({ key: 'tab:inbox' })
    for (const [, shown] of texts) expect(await ui.find({ type: 'Text', text: `[decision] ${shown}` })).toBeDefined()
  })
})
