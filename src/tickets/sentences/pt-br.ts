import { listWords } from "../words.js";
import type { Sentences } from "./sentences.js";

export const ptBR: Sentences = {
  space: " ",
  untitled: "o cartão sem título",
  unnamed: "a etapa sem nome",
  unknownStatus: "uma etapa que ainda não conhecemos",
  signs: { "&": "e", "+": "mais", "%": "por cento", "@": "arroba" },

  and: (items) => listWords(items, "e"),
  or(items, more) {
    if (more <= 0) return listWords(items, "ou");
    return more === 1 ? `${items.join(", ")}, ou mais um` : `${items.join(", ")}, ou um de mais ${more}`;
  },
  titleIn: (title, status) => `${title}, em ${status}`,
  titleAndKey: (title, key) => `${title}, ${key}`,

  foundNone: () => "Não encontrei nenhum cartão assim. Tente outras palavras do título.",
  foundOne: (item) => `Um cartão: ${item}.`,
  foundMany: (total, items, more) =>
    `${total} cartões: ${items.join(". ")}.${more > 0 ? ` E mais ${more}. Peça os próximos para ouvir o resto.` : ""}`,
  foundIn: (status, total, items, more) =>
    `${total === 1 ? "Um cartão está" : `${total} cartões estão`} em ${status}: ${items.join(". ")}.${more > 0 ? ` E mais ${more}. Peça os próximos para ouvir o resto.` : ""}`,
  noneIn: (status) => `Nenhum cartão está em ${status}.`,
  unknownStatusAsked: (heard) =>
    `Não conheço nenhuma etapa chamada ${heard}. Peça para descrever o quadro e ouvir as que existem.`,
  nearest: (choices) =>
    `Não encontrei nenhum cartão assim. O mais próximo é ${choices}. Qual deles você quer?`,
  which: (choices) => `Qual deles você quer: ${choices}?`,
  whichStatus: (choices) => `Qual etapa você quer: ${choices}?`,
  oneAtATime: () => "Eu cuido de um cartão por vez. Qual deve ser o primeiro?",
  nothingMeant: () => "Não sei de qual cartão você fala. Diga a chave ou algumas palavras do título.",

  isIn: (title, status) => `${title} está em ${status}.`,
  archived: () => "Está arquivado. Restaure primeiro no quadro.",
  detached: () => "Saiu dos quadros conectados. Conecte primeiro o novo quadro.",
  canGoTo: (choices) => `Pode ir para ${choices}.`,
  cannotGo: () => "Agora não pode ir a lugar nenhum. Verifique no quadro.",
  noWay: (from, to) => `O fluxo não tem caminho de ${from} para ${to}.`,
  noStatus: (title, heard) => `O quadro de ${title} não tem etapa chamada ${heard}.`,

  moved: (title, to) => `Movi ${title} para ${to}.`,
  movedOn: (title, wanted, to) =>
    `Movi ${title} para ${wanted}, e a regra do próprio quadro levou até ${to}.`,
  beside: () => "Algo além disso não funcionou. Verifique no quadro.",
  already: (title, status) => `${title} já está em ${status}, então nada foi alterado.`,
  accepted: (title, to) =>
    `${title} está a caminho de ${to}, mas o quadro ainda não confirmou. Pergunte daqui a pouco como foi.`,
  closed: (title, from, to) => `${title} está em ${from} e de lá não pode ir para ${to}.`,
  by: (steps) => `O caminho passa por ${steps}.`,
  offBoard: (status) => `Nenhuma coluna do quadro mostra ${status}.`,
  teamRule: () => "Essa é uma regra da sua equipe, não do quadro.",
  otherBoard: () => "Pertence a outro quadro. Escolha uma das etapas dele.",
  stays: (title, status) => `${title} continua em ${status}.`,
  lookAtBoard: () => "Verifique no quadro.",
  conflict: (title, status, wanted) =>
    `${title} agora está em ${status}, porque alguém ou algo mudou isso. Você ainda quer em ${wanted}?`,
  busy: (title, to) => `${title} já está a caminho de ${to}. Pergunte de novo quando chegar lá.`,
  unknown: (title, to) =>
    `O quadro não respondeu, então ainda não sei se ${title} chegou a ${to}. Vou descobrir. Pergunte de novo em um minuto.`,
  whichMove: (title, to, choices) =>
    `Há vários caminhos para levar ${title} até ${to}: ${choices}. Qual deles?`,

  needsField: (title, to, field) => `Para levar ${title} até ${to} falta ${field}.`,
  fieldOnBoard: () => "Preencha no quadro e peça de novo.",
  fieldChoices: (choices) => `Pode ser ${choices}.`,
  whatField: () => "Qual deve ser?",

  yes: "Sim",
  no: "Não",
  confirm: (title, from, to) => `${title} iria de ${from} para ${to}. Posso fazer isso?`,
  confirmHeard: (title, from, to) => `Entendi ${title}. Iria de ${from} para ${to}. Está certo?`,
  notConfirmed: () => "Essa pergunta já não está aberta, então nada foi alterado. Peça de novo, por favor.",

  nothingPending: () => "Nada está em andamento. Diga de qual cartão você fala.",
  nothingPendingFor: (title, status) =>
    `Nada está em andamento para ${title}. Está em ${status}. Diga para onde deve ir.`,
  nothingToUndo: () => "Não há nada seu para desfazer. Diga para onde um cartão deve ir.",
  nothingToUndoFor: (title) => `${title} não tem nada seu para desfazer. Diga para onde deve ir.`,
  undoTooLate: (title, status) =>
    `${title} mudou depois do seu pedido e agora está em ${status}, então deixei lá. Diga para onde deve ir.`,
  pullStays: () => "O pull request continua aberto.",
  stepStays: (step) => `O passo chamado ${step} não é desfeito.`,

  board: (name, counts) => `${name} tem ${counts}.`,
  count: (tickets, status) => `${tickets} em ${status}`,
  emptyBoard: (name) => `${name} não tem cartões.`,
  boards: (names) => `Os quadros conectados são ${names}. De qual deles você quer saber?`,
  noBoards: () => "Nenhum quadro está conectado. Conecte um primeiro.",

  stepDone: (step) => `O passo chamado ${step} está feito.`,
  stepOwed: (step) => `O passo chamado ${step} ainda está em andamento.`,
  stepWaiting: (step) => `O passo chamado ${step} está esperando.`,
  stepFailed: (step) => `O passo chamado ${step} não deu certo.`,
  pullOpen(draft, number, existing) {
    const name = `O pull request${draft ? " de rascunho" : ""}${number === undefined ? "" : ` número ${number}`}`;
    return existing ? `${name} já estava aberto.` : `${name} está aberto.`;
  },
  pullOwed: () => "O pull request de rascunho está sendo aberto.",
  pullWaiting: () => "O pull request de rascunho espera pela sua branch.",
  pullFailed: () => "O pull request de rascunho não pôde ser aberto.",

  arguments: {
    ticket: { label: "o cartão", expects: "a chave ou algumas palavras do título" },
    to: { label: "a etapa de destino", expects: "o nome de uma etapa" },
    from: { label: "a etapa atual", expects: "o nome de uma etapa" },
    fields: { label: "o valor de cada campo", expects: "o nome de cada campo com o seu valor" },
    comment: { label: "o comentário", expects: "uma ou duas frases" },
    token: { label: "o código da pergunta", expects: "o código exatamente como veio na pergunta" },
    query: { label: "a busca", expects: "algumas palavras" },
    status: { label: "a etapa da busca", expects: "o nome de uma etapa" },
    board: { label: "o quadro", expects: "o nome de um quadro" },
    cursor: { label: "a continuação", expects: "o cursor exatamente como veio na última resposta" },
    moveId: { label: "o pedido", expects: "o código do pedido exatamente como veio na resposta" },
  },
  missingArgument: (label, expects) => `Ainda falta ${label}. Diga ${expects}.`,
  wrongArgument: (label, expects) => `O que você deu para ${label} não serve. Diga ${expects}.`,
  longArgument: (label, expects) => `O que você deu para ${label} é longo demais. Diga ${expects}.`,
  unknownArguments: (names) => `Não sei o que fazer com ${names}. Deixe isso de fora e peça de novo.`,
  unnamedArguments: () => "Não entendi. Peça de novo, dando um nome a cada valor.",
  placeGone: () => "Essa página não existe mais. Peça a busca de novo, desde o início.",

  errors: {
    invalid: "Não entendi. Diga com outras palavras.",
    unauthorized: "Conecte primeiro a sua conta.",
    forbidden: "O quadro não permite isso a esta conta. Peça acesso a um administrador.",
    not_found_or_hidden: "O quadro não tem esse cartão, ou não o mostra a esta conta. Verifique no quadro.",
    conflict: "Alguém mudou isso enquanto isso. Pergunte onde está agora.",
    no_such_move: "O quadro não tem esse caminho a partir de lá. Pergunte para onde pode ir.",
    needs_fields: "O quadro quer mais do que sabemos. Verifique no quadro.",
    stale_workflow: "O fluxo do quadro mudou. Tente de novo daqui a pouco.",
    archived: "Está arquivado. Restaure primeiro no quadro.",
    rate_limited: "O quadro pediu para esperar. Tente de novo em um minuto.",
    auth_expired: "O quadro não aceita mais o nosso acesso. Reconecte o quadro, por favor.",
    busy: "Há coisas demais acontecendo ao mesmo tempo. Tente de novo.",
    hook_failed: "Um passo seguinte não deu certo. Verifique no quadro.",
    unavailable: "O quadro está com problemas. Tente de novo em um minuto.",
    timeout: "O quadro demorou demais para responder. Tente de novo em um minuto.",
    internal: "Algo deu errado do nosso lado. Tente de novo.",
  },
};
