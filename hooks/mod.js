// The mod of cuecard for Claude Code (2.1.287 and newer). It only shows: it adds nothing to a prompt and nothing for the
// model, so the settings hook stays the one that answers, and a mod that fails costs nothing.
//
// All code is in this file, because older clients do not follow `$` into a function of another file. All that it asks of
// cuecard goes through the launchers of the plugin. They start the program that the user has recorded, and never one that a
// project's PATH leads to.

const BLOCK = '<memory-context '
const PANE = 'cuecard'
const HOOK = 'hooks/cuecard-hook.sh'
const COMMAND = 'bin/cuecard'
// Letters, which press a button only while the band has the keyboard. A digit that is typed into an empty prompt would
// press one too.
const LETTERS = ['a', 'b', 'c']
// What opens a row of the pane. None of them accepts anything: a key that is pressed twice does no harm.
const ROWS = ['a', 'b', 'c', 'd', 'e']
// What is looked up waits until the request has left, so that the two do not take time from each other.
const LOOK_AFTER_MS = 400
// What runs by itself after a prompt has two seconds. What a person has asked for may start Python on a busy machine.
const LOOK_MS = 2000
const ACT_MS = 10000
const MOST_SHOWN = 12
const MOST_DRAFTS = 10
const MOST_HITS = 5
const MOST_LINES = 120
// Where a title would be shorter than this, the band does not ask.
const LEAST_TITLE = 6
const LEAST_SHARE = 0.05
const OUTCOMES = { full: 'with its text', gist: 'by its gist', title: 'by its title', line: 'by its index line', sibling: 'as one of the same subject' }
const FIELDS = { title: 'title', tag: 'tags', question: 'questions', body: 'text' }

const view = {
  session: '', cwd: '', prompt: '', turn: 0, isDrawn: false,
  shown: [], reasons: {}, waiting: 0, judged: {},
  told: '', undo: '', isProblem: false,
  // The lines of the memory and of the draft that were opened last lie in these two.
  page: 'shown', behind: 'shown', drafts: [], sought: '', hits: undefined, memory: undefined, draft: undefined,
}

// Texts

/** A text on one line, without control, escape, direction and zero-width characters: the rule of basics/visible_text.py. */
const visible = text => String(text ?? '')
  .replace(/[\p{Z}\t-\r\x1c-\x1f\x85]/gu, ' ').replace(/\p{C}/gu, '').split(' ').filter(Boolean).join(' ')

/** A line without such characters, with its indentation. */
const visibleLine = text => text.match(/^ */)[0] + visible(text)

const short = (text, most) => [...text].length > most ? [...text].slice(0, Math.max(1, most - 1)).join('').trimEnd() + '…' : text
const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`
const nameOf = memory => memory.title || memory.id

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// cuecard's programs

/** Runs a program of cuecard. `text` is its output, undefined after a failure; `problem` is what it said then. */
async function run($, file, words, { stdin, timeoutMs = ACT_MS } = {}) {
  try {
    const root = await $.session.root()
    const ran = await $.process.run(['/bin/sh', `${$.plugin.root}/${file}`, ...words], {
      cwd: view.cwd || root, env: { CLAUDE_PROJECT_DIR: root }, timeoutMs, ...(stdin === undefined ? {} : { stdin }),
    })
    const problem = visible(String(ran.stderr).split('\n', 1)[0].replace(/^error: /, ''))
    // A command that decides on several things ends with 1 if one of them is left, and still prints what it did.
    return { text: ran.exitCode === 0 || ran.stdout ? ran.stdout : undefined, problem: problem || 'cuecard did not answer' }
  } catch {
    return { text: undefined, problem: 'cuecard did not answer' }
  }
}

async function ask($, words, options) {
  const { text, problem } = await run($, COMMAND, [...words, '--json'], options)
  return { value: text === undefined ? undefined : parsed(text), problem }
}

/** Reads what the last prompt was shown, and how many drafts wait. `block` is what the agent reads. */
async function look($, turn, block) {
  if (!block) return $.ui.invalidate('ui.render')
  const { text } = await run($, HOOK, ['shown', '--session', view.session, '--json'], { timeoutMs: LOOK_MS })
  if (turn !== view.turn) return
  const answer = parsed(text) ?? {}
  const memories = Array.isArray(answer.memories) ? answer.memories : []
  // Where the event could not be logged, the last one is of an earlier prompt. A block has titles, and most ids.
  const isIn = memory => [memory.id, memory.title].some(name => name && block.includes(name))
  view.shown = memories.filter(isIn).slice(0, MOST_SHOWN).map(memory => ({
    id: visible(memory.id), path: String(memory.path), title: visible(memory.title),
    category: visible(memory.category).toLowerCase(), outcome: OUTCOMES[memory.outcome] ?? '',
  }))
  view.waiting = Number(answer.waiting) || 0
  $.ui.invalidate('ui.render')
  if (view.shown.length) await $.store.set('answered', new Date().toISOString())
}

/** Reads why each memory was found. The prompt goes to standard input, because other users can read arguments. */
async function readReasons($) {
  const turn = view.turn
  const { value } = view.prompt && view.shown.length ? await ask($, ['recall', '-'], { stdin: view.prompt }) : {}
  if (turn !== view.turn || !Array.isArray(value?.hits)) return
  view.reasons = Object.fromEntries(value.hits.map(hit => [hit.path, reasonOf(hit)]))
}

/** The words of the prompt that a memory has, and how sure the gate is. */
function reasonOf(hit) {
  const all = Array.isArray(hit.parts) ? hit.parts : []
  const most = Math.max(0, ...all.map(part => Number(part.points) || 0))
  // Words that nearly every memory has give next to no points.
  const parts = all.filter(part => part.points >= most * LEAST_SHARE)
  const found = Object.entries(FIELDS).map(([kind, name]) => {
    const words = [...new Set(parts.filter(part => part.kind === kind && part.token).map(part => visible(part.token)))]
    return words.length ? `“${words.join('”, “')}” in its ${name}` : ''
  })
  if (parts.some(part => part.kind === 'semantic' || part.kind === 'embedding')) found.push('near in meaning')
  if (parts.some(part => part.kind === 'path' || part.kind === 'changed')) found.push('anchored to a file of this work')
  const sure = typeof hit.probability === 'number' ? [`${Math.round(hit.probability * 100)}% sure`] : []
  return [...found.filter(Boolean), ...sure].join(' · ')
}

/** Reads the drafts that wait. Returns why they cannot be read, "" after success. */
async function readDrafts($) {
  const { value, problem } = await ask($, ['review', 'list'])
  if (!Array.isArray(value?.drafts)) return problem
  view.drafts = value.drafts.map(draft => ({
    id: String(draft.id), raw: draft.draft, category: visible(draft.draft?.category),
    title: visible(draft.draft?.partial_content?.title) || '(no title)',
  }))
  view.waiting = view.drafts.length
  return ''
}

/** The lines of a program's output. What does not fit into the pane is named in the last one. */
function linesOf(text) {
  const lines = String(text ?? '').split('\n').filter(line => line.trim()).map(visibleLine)
  const left = lines.length - MOST_LINES
  return left > 0 ? [...lines.slice(0, MOST_LINES), `withheld: ${count(left, 'line')} more, which a terminal shows`] : lines
}

// What a person does. Each tells what was done, and keeps the id that takes it back.

function tell($, told, back = '') {
  Object.assign(view, { told, undo: back, isProblem: false })
  $.ui.invalidate('ui.render')
  return told
}

/** Tells why something was not done. */
function warn($, problem) {
  tell($, problem)
  view.isProblem = true
  return problem
}

async function judge($, kind, memory) {
  const { value, problem } = await ask($, [kind, memory.path, '--session', view.session])
  if (!value) return warn($, problem)
  view.judged[memory.path] = { kind, id: String(value.id ?? '') }
  return tell($, `${kind}: ${nameOf(memory)}`, String(value.id ?? ''))
}

async function undo($) {
  if (!view.undo) return warn($, 'nothing to take back')
  const { value, problem } = await ask($, ['undo', view.undo])
  if (!value) return warn($, problem)
  const verdict = Object.keys(view.judged).find(path => view.judged[path].id === view.undo)
  if (verdict) delete view.judged[verdict]
  else await (view.draft ? renewDraft($, view.draft) : readDrafts($))
  return tell($, 'taken back')
}

async function openMemory($, memory) {
  const opened = { ...memory, lines: ['…'] }
  Object.assign(view, { behind: view.page, memory: opened, page: 'memory' })
  $.ui.invalidate('ui.render')
  const [text, why] = await Promise.all([run($, COMMAND, ['show', memory.path]), run($, COMMAND, ['why', memory.path])])
  const reason = view.reasons[memory.path]
  opened.lines = [
    ...(memory.outcome ? ['why', ...[...linesOf(why.text).filter(isReason), ...linesOf(reason)].map(line => `  ${line}`), ''] : []),
    ...linesOf(text.text ?? text.problem)]
  $.ui.invalidate('ui.render')
}

// What `cuecard why` says of the event itself is the same for each memory.
const isReason = line => !/^(memory|event|session|prompt|answer) /.test(line)

async function openDraft($, draft) {
  const opened = { ...draft, lines: ['…'], nearest: undefined }
  Object.assign(view, { page: 'draft', draft: opened })
  $.ui.invalidate('ui.render')
  const [lines, near] = await Promise.all([readDraft($, draft), find($, draft.title, 1)])
  Object.assign(opened, { lines, nearest: near.hits?.[0] })
  $.ui.invalidate('ui.render')
}

/** All that a draft says, what accepting it would do, and the nearest memories. Some texts are only for a terminal. */
async function readDraft($, draft) {
  const { text, problem } = await run($, COMMAND, ['review', 'show', draft.id])
  return linesOf(text ?? problem)
}

const isWithheld = lines => lines.length < 2 || lines.some(line => line.trimStart().startsWith('withheld:'))

/** Reads the opened draft and its lines again. Returns why what was shown of it no longer counts, "" if it does. */
async function renewDraft($, draft) {
  const problem = await readDrafts($)
  if (problem) return problem
  const now = view.drafts.find(one => one.id === draft.id)
  if (!now) {
    closeDraft(draft)
    return 'the draft no longer waits'
  }
  const lines = await readDraft($, now)
  const isSame = JSON.stringify([now.raw, lines]) === JSON.stringify([draft.raw, draft.lines])
  Object.assign(draft, now, { lines })
  return isSame ? '' : 'the draft has changed: look at it again'
}

async function accept($, draft) {
  // A person accepts exactly the text that was shown.
  const stale = await renewDraft($, draft)
  if (stale) return warn($, stale)
  const { value, problem } = await ask($, ['review', 'accept', draft.id])
  const decided = value?.drafts?.[0]
  if (!decided || decided.waits) return warn($, visible(decided?.error?.what ?? decided?.status) || problem)
  return leaveDraft($, draft, `accepted: ${draft.title}`, String(value.undo ?? ''))
}

async function reject($, draft) {
  const { value, problem } = await ask($, ['review', 'reject', draft.id])
  return value ? leaveDraft($, draft, `rejected: ${draft.title}`, String(value.undo?.[0] ?? '')) : warn($, problem)
}

async function leaveDraft($, draft, told, back) {
  closeDraft(draft)
  await readDrafts($)
  return tell($, told, back)
}

function closeDraft(draft) {
  if (view.draft?.id !== draft.id) return
  view.draft = undefined
  if (view.page === 'draft' || view.page === 'edit') view.page = 'inbox'
}

/** Replaces one text of a draft: the member of `content`, or the title. */
async function edit($, draft, name, text) {
  // Somebody else may have edited the draft, or an edit may have been undone.
  const stale = await renewDraft($, draft)
  if (stale) return warn($, stale)
  const raw = copyOf(draft.raw)
  const partial = raw.partial_content
  const holder = name === 'title' ? partial : partial.content
  holder[name] = Array.isArray(holder[name]) ? text.split('\n').filter(line => line.trim()) : text
  const { value, problem } = await ask($, ['review', 'edit', draft.id, '--file', '-'], { stdin: JSON.stringify(raw) })
  if (!value) return warn($, problem)
  await renewDraft($, draft)
  return tell($, `edited: ${name}`, String(value.undo ?? ''))
}

const copyOf = value => JSON.parse(JSON.stringify(value))

/** The texts of a draft that can be edited line by line, by name. */
function editable(draft) {
  const partial = draft.raw?.partial_content ?? {}
  const isText = value => typeof value === 'string' || (Array.isArray(value) && value.every(part => typeof part === 'string'))
  const content = Object.entries(partial.content ?? {}).filter(([, value]) => isText(value))
  return [['title', String(partial.title ?? '')], ...content.map(([name, value]) => [name, [value].flat().join('\n')])]
}

/** The memories that fit some words best. The words go to standard input, where none of them is an option. */
async function find($, words, most) {
  const { value, problem } = await ask($, ['search', '-', '--limit', String(most)], { stdin: words })
  const hits = Array.isArray(value?.hits) ? value.hits.map(hit => ({
    path: String(hit.path), id: visible(hit.path), title: visible(hit.title), category: visible(hit.category).toLowerCase(),
    outcome: '', trust: visible(hit.trust),
  })) : undefined
  return { hits, problem }
}

async function search($, words) {
  view.sought = words
  const { hits, problem } = await find($, words, MOST_HITS)
  if (view.sought !== words) return ''
  view.hits = hits
  return hits ? tell($, '') : warn($, problem)
}

/** Shows a page of the pane; the pages of one memory or draft know the list behind them. */
function turnTo($, page) {
  view.page = page
  $.ui.invalidate('ui.render')
}

async function openPane($, words) {
  Object.assign(view, { told: '', undo: '', hits: undefined, sought: '' })
  view.page = words ? 'search' : view.shown.length || !view.waiting ? 'shown' : 'inbox'
  await $.ui.open({ id: PANE, title: 'cuecard', focus: true, closeOnEscape: true, rows: 18, columns: 70 })
  const [problem] = await Promise.all([readDrafts($), readReasons($), words ? search($, words) : undefined])
  if (problem) warn($, problem)
  $.ui.invalidate('ui.render')
}

// A command of the mod asks the model nothing, and its answer is for the person alone.
const answer = text => ({ text, isTextDisplayOnly: true })

/** The shown memory that a word names: by its letter, its place or its id. */
function shownBy(word) {
  const place = LETTERS.includes(word) ? LETTERS.indexOf(word) : /^\d+$/.test(word) ? Number(word) - 1 : -1
  return view.shown[place] ?? view.shown.find(memory => memory.id === word) ?? (word ? undefined : only(view.shown))
}

const only = list => list.length === 1 ? list[0] : undefined

// What is drawn

function drawBand($, e) {
  const { Box, Text, Button } = $.ui.resolve(e)
  const waits = view.told ? '' : view.waiting ? ` · ${view.waiting} wait: /memories` : ' · /memories'
  const told = view.told ? ` · ${short(view.told, Math.max(12, Math.floor(e.props.bodyColumns / 3)))}` : ''
  const undoes = Boolean(told && view.undo)
  const lead = view.shown.length ? `cuecard: ${view.shown.length} shown` : 'cuecard'
  const question = ' · wrong? '
  const spent = [...lead + told + (undoes ? '  u: undo' : '') + question + waits].length
  const left = view.shown.slice(0, LETTERS.length).filter(memory => !view.judged[memory.path])
  const roomFor = many => Math.floor((e.props.bodyColumns - spent) / many) - 'a:  '.length
  while (left.length && roomFor(left.length) < LEAST_TITLE) left.pop()
  const room = roomFor(Math.max(1, left.length))
  return h(Box, { flexDirection: 'row' },
    h(Text, { dimColor: true, wrap: 'truncate' }, lead),
    ...(told ? [h(Text, { wrap: 'truncate' }, told)] : []),
    ...(undoes ? [h(Text, {}, '  '), h(Button, { key: 'undo', plain: true, hotkey: 'u', label: 'undo', onPress: () => undo($) })] : []),
    ...(left.length ? [h(Text, { dimColor: true }, question)] : []),
    ...left.map(memory => h(Button, {
      key: `wrong:${memory.path}`, plain: true, hotkey: LETTERS[view.shown.indexOf(memory)],
      label: `${short(nameOf(memory), room)} `, onPress: () => judge($, 'wrong', memory),
    })),
    h(Text, { dimColor: true, wrap: 'truncate' }, waits))
}

function drawPane($, e) {
  const { Box, Text, Button } = $.ui.resolve(e)
  const tabs = [['shown', 's', `shown ${view.shown.length}`], ['inbox', 'i', `inbox ${view.drafts.length}`], ['search', 'f', 'find']]
  const body = view.page === 'inbox' ? drawInbox($, e) : view.page === 'search' ? drawSearch($, e)
    : view.page === 'memory' ? drawMemory($, e) : view.page === 'draft' ? drawDraft($, e)
    : view.page === 'edit' ? drawEdit($, e) : drawShown($, e)
  return h(Box, { flexDirection: 'column' },
    h(Box, { flexDirection: 'row', gap: 2, marginBottom: 1 }, ...tabs.map(([page, hotkey, label]) => h(Button, {
      key: `tab:${page}`, plain: true, hotkey, label, dimColor: page !== view.page, onPress: () => turnTo($, page),
    }))),
    ...(view.told ? [h(Box, { key: 'told', flexDirection: 'row', gap: 2, marginBottom: 1 },
      h(Text, { color: view.isProblem ? 'error' : 'success' }, view.told),
      ...(view.undo ? [h(Button, { key: 'undo', plain: true, hotkey: 'u', label: 'undo', onPress: () => undo($) })] : []))] : []),
    ...body)
}

/** A memory or draft in a list: its title, what is said of it, and what can be done. */
function drawRow($, e, item, why, buttons) {
  const { Box, Text, Button } = $.ui.resolve(e)
  return h(Box, { key: `row:${item.path ?? item.id}`, flexDirection: 'column', marginBottom: 1 },
    h(Text, { wrap: 'truncate' }, `[${item.category}] ${nameOf(item)}`),
    ...(why ? [h(Box, { paddingLeft: 2 }, h(Text, { dimColor: true }, why))] : []),
    h(Box, { flexDirection: 'row', gap: 2, paddingLeft: 2 }, ...buttons.map(([key, label, onPress, hotkey]) => h(Button, {
      key: `${key}:${item.path ?? item.id}`, label, onPress, ...(hotkey ? { hotkey, plain: true } : {}),
    }))))
}

function drawShown($, e) {
  const { Text } = $.ui.resolve(e)
  if (!view.shown.length) return [h(Text, { dimColor: true }, 'Nothing was shown for the last prompt.')]
  return view.shown.map((memory, place) => {
    const judged = view.judged[memory.path]?.kind
    const why = [judged && `you said: ${judged}`, memory.outcome && `shown ${memory.outcome}`, view.reasons[memory.path]]
    return drawRow($, e, memory, why.filter(Boolean).join(' · '), [
      ['more', 'more', () => openMemory($, memory), ROWS[place]],
      ...(judged ? [] : [
        ['pane-wrong', 'wrong', () => judge($, 'wrong', memory)], ['pane-good', 'good', () => judge($, 'good', memory)]])])
  })
}

function drawInbox($, e) {
  const { Text } = $.ui.resolve(e)
  const left = view.drafts.length - MOST_DRAFTS
  if (!view.drafts.length) return [h(Text, { dimColor: true }, 'No draft waits.')]
  return [
    ...view.drafts.slice(0, MOST_DRAFTS).map((draft, place) => drawRow($, e, draft, '', [
      ['read', 'read and decide', () => openDraft($, draft), ROWS[place]], ['reject', 'reject', () => reject($, draft)]])),
    ...(left > 0 ? [h(Text, { dimColor: true }, `${left} more; \`cuecard view\` lists all`)] : []),
  ]
}

function drawSearch($, e) {
  const { Text, Input } = $.ui.resolve(e)
  const none = view.hits && !view.hits.length ? [h(Text, { dimColor: true }, 'No memory fits.')] : []
  return [
    h(Input, { key: 'search', label: 'words', submitLabel: 'search', autoFocus: true, onSubmit: words => search($, words) }),
    ...none,
    ...(view.hits ?? []).map((hit, place) => drawRow($, e, hit, hit.trust === 'unreviewed' ? 'unreviewed' : '', [
      ['more', 'more', () => openMemory($, hit), ROWS[place]]])),
  ]
}

/** Lines of a program's output; what belongs to the line above is indented, and dim. */
function drawLines($, e, lines) {
  const { Text } = $.ui.resolve(e)
  return lines.map((line, place) => h(Text, line.startsWith(' ') ? { key: `line:${place}`, dimColor: true } : { key: `line:${place}` }, line || ' '))
}

/** The buttons of a page, each with the letter that presses it. */
function drawButtons($, e, buttons) {
  const { Box, Button } = $.ui.resolve(e)
  return h(Box, { flexDirection: 'row', gap: 2, marginBottom: 1 },
    ...buttons.map(([hotkey, key, label, onPress]) => h(Button, { key, plain: true, hotkey, label, onPress })))
}

function drawMemory($, e) {
  const memory = view.memory
  const canJudge = memory.outcome && !view.judged[memory.path]
  return [
    drawButtons($, e, [
      ...(canJudge ? [
        ['w', 'memory-wrong', 'wrong', () => judge($, 'wrong', memory)], ['g', 'memory-good', 'good', () => judge($, 'good', memory)]] : []),
      ['b', 'back', 'back', () => turnTo($, view.behind === 'draft' && !view.draft ? 'inbox' : view.behind)]]),
    ...drawLines($, e, memory.lines),
  ]
}

function drawDraft($, e) {
  const { Text } = $.ui.resolve(e)
  const draft = view.draft
  return [
    drawButtons($, e, [
      // Nobody accepts a text that was not shown.
      ...(isWithheld(draft.lines) ? [] : [
        ['y', 'accept', 'accept', () => accept($, draft)], ['e', 'edit', 'edit', () => turnTo($, 'edit')]]),
      ['n', 'reject', 'reject', () => reject($, draft)],
      ['b', 'back', 'back', () => turnTo($, 'inbox')]]),
    ...drawLines($, e, draft.lines),
    ...(draft.nearest ? [h(Text, {}, ' '), h(Text, {}, 'the nearest memory'), drawRow($, e, draft.nearest, '', [
      ['nearest', 'compare', () => openMemory($, draft.nearest), 'c']])] : []),
  ]
}

function drawEdit($, e) {
  const { Text, Input } = $.ui.resolve(e)
  const draft = view.draft
  return [
    drawButtons($, e, [['d', 'done', 'done', () => turnTo($, 'draft')]]),
    h(Text, { dimColor: true }, 'Enter keeps a text; nothing is accepted yet'),
    ...editable(draft).map(([name, text]) => h(Input, {
      key: `edit:${name}`, label: visible(name), value: cleanText(text), submitLabel: 'keep',
      ...(text.includes('\n') ? { rows: Math.min(6, text.split('\n').length) } : {}),
      onSubmit: value => edit($, draft, name, value),
    })),
  ]
}

const cleanText = text => text.split('\n').map(visible).join('\n')

// The hooks

export const register = on => {
  on('session.start', async ($, e, next) => {
    const result = await next(e)
    await $.command.register({ name: 'memories', description: 'What cuecard has shown and why, the inbox, and a search', argumentHint: '[WORDS]', immediate: true })
    await $.command.register({ name: 'wrong', description: 'Say that a shown memory is wrong here; the model is not asked', argumentHint: '[a|b|c|ID|undo]', immediate: true })
    return result
  }).catch(($, e, next) => next(e))

  on('classic.UserPromptSubmit', async ($, e, next) => {
    const below = await next(e)
    const turn = ++view.turn
    const block = (below?.additionalContext ?? []).filter(text => text.includes(BLOCK)).join('\n')
    Object.assign(view, { session: e.session_id ?? '', cwd: e.cwd ?? '', prompt: e.prompt ?? '', told: '', undo: '', judged: {}, reasons: {}, shown: [] })
    // Nothing is drawn under `-p`, so nothing is looked up there. The prompt does not wait for what is looked up.
    // A timer of the client's own would be another call before the request leaves.
    if (view.isDrawn) setTimeout(() => void look($, turn, block).catch(() => {}), LOOK_AFTER_MS)
    return below
  }).catch(($, e, next) => next(e))

  on('command.run', { command: 'memories' }, async ($, e) => {
    await openPane($, (e.args ?? '').trim())
    return answer(`${view.shown.length} shown, ${count(view.drafts.length, 'draft')} in the inbox`)
  }).catch(() => answer('the pane cannot be opened; `cuecard view` shows the same'))

  on('command.run', { command: 'wrong' }, async ($, e) => {
    const word = (e.args ?? '').trim()
    if (word === 'undo') return answer(await undo($))
    const memory = shownBy(word)
    if (memory) return answer(await judge($, 'wrong', memory))
    const listed = view.shown.map((one, place) => `${LETTERS[place] ?? place + 1}: ${nameOf(one)}`)
    return answer(listed.length ? `which one? ${listed.join(' · ')}` : 'nothing was shown for the last prompt')
  }).catch(() => answer('this could not be done; `cuecard wrong` does the same'))

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    view.isDrawn = true
    return e.props.hasSurvey || !(view.shown.length || view.told) ? next(e) : drawBand($, e)
  }).catch(($, e, next) => next(e))

  on('ui.render', { component: 'Pane', requestId: PANE }, async ($, e) => drawPane($, e)).catch(($, e, next) => next(e))
}
