import type { Sentences } from "./sentences.js";

export const jaJP: Sentences = {
  space: "",
  untitled: "無題のチケット",
  unnamed: "名前のないステータス",
  unknownStatus: "まだ知らないステータス",
  signs: { "&": "と", "+": "プラス", "%": "パーセント", "@": "アットマーク" },

  and: (items) => items.join("、"),
  or(items, more) {
    const said = items.join("か、");
    return more <= 0 ? said : `${said}か、ほかに${more}件`;
  },
  titleIn: (title, status) => `${title}は${status}`,
  titleAndKey: (title, key) => `${title}、${key}`,

  foundNone: () => "そのようなチケットは見つかりません。タイトルの別の言葉で試してください。",
  foundOne: (item) => `1件あります。${item}です。`,
  foundMany: (total, items, more) =>
    `${total}件あります。${items.join("、")}です。${more > 0 ? `ほかに${more}件あります。続きを聞くには次と言ってください。` : ""}`,
  foundIn: (status, total, items, more) =>
    `${status}に${total}件あります。${items.join("、")}です。${more > 0 ? `ほかに${more}件あります。続きを聞くには次と言ってください。` : ""}`,
  noneIn: (status) => `${status}にチケットはありません。`,
  unknownStatusAsked: (heard) =>
    `${heard}というステータスはありません。ボードにあるものを聞くには、ボードの説明と言ってください。`,
  nearest: (choices) => `そのようなチケットは見つかりません。近いのは${choices}です。どれのことですか？`,
  which: (choices) => `${choices}のどれですか？`,
  whichStatus: (choices) => `ステータスは${choices}のどれですか？`,
  oneAtATime: () => "チケットは一件ずつ扱います。どれから始めますか？",
  nothingMeant: () => "どのチケットのことか分かりません。番号かタイトルの言葉を言ってください。",

  isIn: (title, status) => `${title}は${status}にあります。`,
  archived: () => "アーカイブされています。先にボードで元に戻してください。",
  detached: () => "接続されたボードから離れています。先に新しいボードを接続してください。",
  canGoTo: (choices) => `${choices}に進めます。`,
  cannotGo: () => "今はどこにも進めません。ボードで確認してください。",
  noWay: (from, to) => `${from}から${to}へ進む道はありません。`,
  noStatus: (title, heard) => `${title}のボードに${heard}というステータスはありません。`,

  moved: (title, to) => `${title}を${to}に移動しました。`,
  movedOn: (title, wanted, to) =>
    `${title}を${wanted}に移動しました。その後ボードの規則で${to}に進みました。`,
  beside: () => "ほかに一部できなかったことがあります。ボードで確認してください。",
  already: (title, status) => `${title}はすでに${status}にあるので、何も変えていません。`,
  accepted: (title, to) =>
    `${title}は${to}に向かっていますが、ボードはまだ確認していません。少ししてから結果を聞いてください。`,
  closed: (title, from, to) => `${title}は${from}にあり、そこから${to}には進めません。`,
  by: (steps) => `${steps}を通れば行けます。`,
  offBoard: (status) => `${status}はボードのどの列にも表示されません。`,
  teamRule: () => "これはボードではなくチームの規則です。",
  otherBoard: () => "別のボードのチケットです。そのボードの行き先を選んでください。",
  stays: (title, status) => `${title}は${status}のままです。`,
  lookAtBoard: () => "ボードで確認してください。",
  conflict: (title, status, wanted) =>
    `${title}は誰かの変更で今は${status}にあります。それでも${wanted}にしますか？`,
  busy: (title, to) => `${title}はすでに${to}に向かっています。着いてからもう一度言ってください。`,
  unknown: (title, to) =>
    `ボードの返事がなく、${title}が${to}に着いたかまだ分かりません。調べておきます。一分後にもう一度聞いてください。`,
  whichMove: (title, to, choices) =>
    `${title}を${to}にする方法はいくつかあります。${choices}のどれにしますか？`,

  needsField: (title, to, field) => `${title}を${to}にするには${field}が必要です。`,
  fieldOnBoard: () => "ボードで入力してから、もう一度言ってください。",
  fieldChoices: (choices) => `選べるのは${choices}です。`,
  whatField: () => "どうしますか？",

  yes: "はい",
  no: "いいえ",
  confirm: (title, from, to) => `${title}を${from}から${to}にします。よろしいですか？`,
  confirmHeard: (title, from, to) => `${title}と聞こえました。${from}から${to}にします。合っていますか？`,
  notConfirmed: () => "その質問はもう有効ではないので、何も変えていません。もう一度言ってください。",

  nothingPending: () => "進行中のものはありません。どのチケットか言ってください。",
  nothingPendingFor: (title, status) =>
    `${title}に進行中のものはなく、今は${status}にあります。行き先を言ってください。`,
  nothingToUndo: () => "取り消せる操作がありません。チケットの行き先を言ってください。",
  nothingToUndoFor: (title) => `${title}には取り消せる操作がありません。行き先を言ってください。`,
  undoTooLate: (title, status) =>
    `${title}はその後変更されて今は${status}にあるので、そのままにしました。行き先を言ってください。`,
  pullStays: () => "プルリクエストは開いたままです。",
  stepStays: (step) => `${step}という手順は元に戻りません。`,

  board: (name, counts) => `${name}には${counts}あります。`,
  count: (tickets, status) => `${status}に${tickets}件`,
  emptyBoard: (name) => `${name}にチケットはありません。`,
  boards: (names) => `接続されたボードは${names}です。どれについて知りたいですか？`,
  noBoards: () => "まだボードが接続されていません。先に接続してください。",

  stepDone: (step) => `${step}という手順は済みました。`,
  stepOwed: (step) => `${step}という手順は進行中です。`,
  stepWaiting: (step) => `${step}という手順は待っています。`,
  stepFailed: (step) => `${step}という手順は成功しませんでした。`,
  pullOpen(draft, number, existing) {
    const name = `${draft ? "下書きの" : ""}プルリクエスト${number === undefined ? "" : `${number}番`}`;
    return existing ? `${name}はすでに開いていました。` : `${name}を開きました。`;
  },
  pullOwed: () => "下書きのプルリクエストを開いています。",
  pullWaiting: () => "下書きのプルリクエストはブランチを待っています。",
  pullFailed: () => "下書きのプルリクエストは開けませんでした。",

  arguments: {
    ticket: { label: "チケット", expects: "番号かタイトルの言葉" },
    to: { label: "移動先のステータス", expects: "ステータスの名前" },
    from: { label: "今のステータス", expects: "ステータスの名前" },
    fields: { label: "項目の値", expects: "項目の名前とその値" },
    comment: { label: "コメント", expects: "短い文" },
    token: { label: "質問のトークン", expects: "質問にあったとおりのトークン" },
    query: { label: "探す言葉", expects: "いくつかの言葉" },
    status: { label: "探すステータス", expects: "ステータスの名前" },
    board: { label: "ボード", expects: "ボードの名前" },
    cursor: { label: "続きの位置", expects: "前の答えにあったとおりのカーソル" },
    moveId: { label: "操作", expects: "答えにあったとおりの操作の番号" },
  },
  missingArgument: (label, expects) => `${label}がまだ分かりません。${expects}を言ってください。`,
  wrongArgument: (label, expects) => `${label}として受け取ったものは使えません。${expects}を言ってください。`,
  longArgument: (label, expects) => `${label}として受け取ったものが長すぎます。${expects}を言ってください。`,
  unknownArguments: (names) =>
    `${names}をどうすればよいか分かりません。それを除いて、もう一度言ってください。`,
  unnamedArguments: () => "分かりませんでした。それぞれの値に名前を付けて、もう一度言ってください。",
  placeGone: () => "そのページはもうありません。最初から探し直してください。",

  errors: {
    invalid: "分かりませんでした。別の言い方で言ってください。",
    unauthorized: "先にアカウントを連携してください。",
    forbidden: "このアカウントには許可されていません。管理者に権限を頼んでください。",
    not_found_or_hidden: "ボードにないか、このアカウントには見えません。ボードで確認してください。",
    conflict: "その間に誰かが変更しました。今どこにあるか聞いてください。",
    no_such_move: "そこからその先へは進めません。行き先を聞いてください。",
    needs_fields: "ボードはほかの情報を求めています。ボードで確認してください。",
    stale_workflow: "ボードのワークフローが変わりました。少ししてから試してください。",
    archived: "アーカイブされています。先にボードで元に戻してください。",
    rate_limited: "ボードが待つように求めています。一分後に試してください。",
    auth_expired: "ボードがログインを受け付けません。接続し直してください。",
    busy: "同時に多くのことが起きています。もう一度試してください。",
    hook_failed: "後の手順が成功しませんでした。ボードで確認してください。",
    unavailable: "ボードに問題が起きています。一分後に試してください。",
    timeout: "ボードの返事が遅すぎます。一分後に試してください。",
    internal: "こちらで問題が起きました。もう一度試してください。",
  },
};
