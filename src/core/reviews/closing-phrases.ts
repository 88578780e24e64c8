/**
 * What a word that asks for nothing says. Each kind holds in fewer places than the one before it:
 * - `thanks`: thanks, praise, an acknowledgement. Asks for nothing anywhere.
 * - `approval`: the speaker is content with the code. Asks for nothing anywhere.
 * - `agreement`: agrees with what was said last, which may be a question or somebody else's request.
 * - `leave`: wants the code to stay. Where nobody has refused a change, this is a request itself.
 */
export const TENORS = ['thanks', 'approval', 'agreement', 'leave'] as const;
export type Tenor = (typeof TENORS)[number];

/** Phrases in lower case, separated by `|`. They are compared without punctuation, quotation marks and apostrophes. */
export const CLOSING_PHRASES: Readonly<Record<Tenor, readonly string[]>> = {
  thanks: [
    // English
    'thanks|thank you|thankyou|thx|thnx|tnx|ty|tysm|tyvm|many thanks|big thanks|thanks a lot|thanks a million|thanks a ton',
    'thanks so much|thanks very much|thank you so much|thank you very much|thanks again|thanks all|thanks everyone|cheers|kudos',
    'thank you again|much appreciated|appreciated|appreciate it|i appreciate it|really appreciate it',
    'for fixing|for fixing it|for fixing this|for fixing that|for the fix|for the quick fix|for the change|for the changes',
    'for the update|for the quick update|for the explanation|for explaining|for clarifying|for the clarification|for that|for this',
    'for the quick response|for the reply|for looking into it|for looking into this|for your work|for your help|for your time',
    'ok|okay|okey|kk|oki|ok then|alright|all right|got it|i see|i understand|understood|noted|ack|acknowledged|roger',
    'done|all done|fixed|addressed|resolved|all resolved|fixed now|done now|merged',
    'nice|very nice|so nice|nice one|nice catch|good catch|great catch|nice find|good find|nice work|good work|great work',
    'nice job|good job|great job|well done|nice fix|good fix|great fix|nice touch|nice cleanup|nice improvement|good stuff',
    'great|great stuff|good|very good|perfect|excellent|awesome|amazing|wonderful|fantastic|brilliant|beautiful|lovely|cool|neat',
    'sweet|super|love it|love this|i love it|i love this|i like it|i like this|much better|much better now|way better|works',
    'works now|it works|it works now|works for me|works great|perfect now|great now|that works|that worked|yay|hooray|woohoo|wow|haha|lol',
    'no worries|no problem|np|you are welcome|youre welcome|yw|my bad|my mistake|sorry|sorry for the noise|+1',
    // German
    'danke|danke dir|danke schön|dankeschön|vielen dank|herzlichen dank|besten dank|tausend dank|danke für den fix|danke für die änderung',
    'erledigt|behoben|verstanden|alles klar|in ordnung|super|prima|toll|klasse|perfekt|wunderbar|sehr gut|sehr schön|schön|gut|gut gemacht',
    'gut gesehen|gut erkannt|guter fund|gute arbeit|gern geschehen|kein problem',
    // French
    'merci|merci beaucoup|merci bien|mille mercis|un grand merci|merci à toi|merci à vous|parfait|super|génial|excellent|très bien',
    'bien|bien vu|bien joué|bon travail|beau travail|compris|bien compris|fait|corrigé|cest fait|cest bon|entendu|de rien|pas de souci',
    // Spanish
    'gracias|muchas gracias|mil gracias|muchísimas gracias|gracias por el arreglo|perfecto|genial|excelente|estupendo|muy bien|bien hecho|buen trabajo',
    'buena observación|bien visto|entendido|hecho|listo|corregido|arreglado|vale|de nada|sin problema',
    // Portuguese
    'obrigado|obrigada|muito obrigado|muito obrigada|valeu|brigado|perfeito|ótimo|excelente|muito bom|bom trabalho|boa|bem visto|entendido',
    'feito|corrigido|resolvido|de nada',
    // Italian
    'grazie|grazie mille|molte grazie|tante grazie|perfetto|ottimo|ottimo lavoro|bel lavoro|benissimo|molto bene|ben fatto|fatto|capito|risolto|prego',
    // Dutch
    'dank je|dank je wel|dankjewel|dank u|dank u wel|bedankt|hartelijk dank|top|prima|perfect|mooi|goed gezien|goed gedaan|goed werk|begrepen|opgelost|gedaan|graag gedaan',
    // Polish, Czech
    'dzięki|dzieki|dziękuję|dziekuje|wielkie dzięki|świetnie|super|dobra robota|gotowe|zrobione|rozumiem|díky|děkuji|skvělé|hotovo',
    // Swedish, Danish, Norwegian, Finnish
    'tack|tack så mycket|tackar|tak|mange tak|takk|mange takk|tusen takk|snyggt|bra|bra jobbat|klart|godt|flott|kiitos|hienoa|selvä',
    // Russian, Ukrainian
    'спасибо|большое спасибо|спасибо большое|благодарю|отлично|супер|класс|круто|хорошо|понятно|понял|поняла|готово|исправлено|сделано|дякую|щиро дякую|чудово|добре|зрозуміло',
    // Turkish, Vietnamese, Indonesian
    'teşekkürler|teşekkür ederim|çok teşekkürler|sağ ol|sağol|harika|süper|mükemmel|tamam|anladım|cảm ơn|cám ơn|tuyệt vời|terima kasih|makasih|mantap|bagus',
    // Chinese
    '谢谢|謝謝|谢谢你|谢谢您|多谢|多謝|感谢|感謝|非常感谢|辛苦了|好的|好|很好|太好了|收到|明白|明白了|知道了|了解|不错|完美|赞|厉害|已修复|已解决|搞定|没问题',
    // Japanese
    'ありがとう|ありがとうございます|ありがとうございました|どうも|どうもありがとうございます|感謝です|助かります|助かりました|了解|了解です|了解しました|承知しました|わかりました|なるほど|いいですね|素晴らしい|すごい|完璧です|お疲れ様です|お疲れさまです|お疲れ様でした|ナイス|対応ありがとうございます|修正ありがとうございます|確認しました',
    // Korean
    '감사합니다|감사해요|고맙습니다|고마워요|고마워|감사|수고하셨습니다|수고했어요|좋아요|좋네요|좋습니다|확인했습니다|알겠습니다|네 감사합니다|완벽해요|최고예요|굿',
    // Hindi, Arabic, Hebrew, Greek
    'धन्यवाद|शुक्रिया|बहुत धन्यवाद|बढ़िया|شكرا|شكرا لك|شكرا جزيلا|ممتاز|رائع|תודה|תודה רבה|מעולה|ευχαριστώ|τέλεια|ωραία',
  ],
  approval: [
    'lgtm|lgtm now|slgtm|lgtm to me|looks good|looks good now|looks good to me|looks good to me now|looks great|looks great now|looks great to me',
    'looks perfect|looks fine|looks fine to me|looks ok|looks ok to me|looks okay|looks right|looks correct|this looks good|this looks great',
    'that looks good|that looks great|it looks good|all good|all good now|all good here|all good from my side|good to go|good to merge|ready to merge|can be merged',
    'approved|approve|approving|i approve|ship it|shipit|sgtm now|no further comments|no more comments|nothing else|nothing more from me|satisfied',
    'fine|fine by me|fine with me|fine for me|thats fine|this is fine|ok for me|ok by me|ok with me|good for me|good with me|im fine with it|im fine with this|im ok with it|im ok with this|im good',
    'sieht gut aus|sieht jetzt gut aus|sieht super aus|passt|passt für mich|von mir aus ok|genehmigt|freigegeben',
    'ça me va|ça me convient|cest bon pour moi|ok pour moi|approuvé',
    'se ve bien|me parece bien|por mí bien|aprobado|parece bom|por mim ok|aprovado|va bene|per me va bene|approvato|ziet er goed uit|akkoord|goedgekeurd',
    'wygląda dobrze|zatwierdzone|ser bra ut|ser godt ud|ser bra ut nå|выглядит хорошо|одобряю|одобрено|виглядає добре|onaylandı|iyi görünüyor',
    '看起来不错|看起来很好|看上去不错|可以合并|同意合并|批准|通过|問題ありません|問題なさそうです|良さそうです|よさそうです|大丈夫です|承認します|承認しました|좋아 보입니다|좋아 보여요|승인합니다|문제없습니다',
  ],
  agreement: [
    'agreed|agree|i agree|makes sense|that makes sense|makes sense to me|fair|fair enough|fair point|good point|sounds good|sounds good to me|sounds great|sgtm|sounds fine',
    'youre right|you are right|thats right|true|right|indeed|exactly|correct|good idea|i am convinced|im convinced',
    'einverstanden|stimmt|macht sinn|ergibt sinn|klingt gut|guter punkt|du hast recht|genau|daccord|je suis daccord|bonne idée|ça marche|tu as raison|vous avez raison',
    'de acuerdo|tienes razón|buena idea|tiene sentido|suena bien|concordo|faz sentido|de acordo|boa ideia|sono daccordo|ha senso|hai ragione|giusto|mee eens|eens|klopt|klinkt goed',
    'zgadzam się|masz rację|håller med|enig|согласен|согласна|логично|верно|согласны|haklısın|katılıyorum|同意|有道理|说得对|确实|同意です|確かに|賛成です|동의합니다|맞습니다|맞아요',
  ],
  leave: [
    'leave it|leave it as is|leave it as it is|leave as is|lets leave it|lets leave it as is|lets leave it as it is|leave it then|leave it for now|just leave it|please leave it as is|please leave it as it is',
    'keep it|keep it as is|keep it as it is|keep as is|lets keep it|lets keep it as is|lets keep it as it is|keep it then|keep it this way|keep it that way|no keep it|no leave it|no leave it as is|no leave it as it is|no keep it as is',
    'no change needed|no changes needed|no change necessary|no need|no need to change|no need to change it|not needed|not necessary|no action needed|nothing to do|nothing to do here',
    'never mind|nevermind|nvm|wont fix|wontfix|skip it|skip this|forget it|forget about it|ignore it|ignore this|ignore that|fine as is|fine as it is|its fine as is|its fine as it is|ok as is|ok as it is|good as is|good as it is|as is|withdrawn|i withdraw this|by design|false positive|not an issue|not a problem',
    'lass es so|lassen wir es so|lass es wie es ist|kann so bleiben|das kann so bleiben|bleibt so|passt so|egal|vergiss es|nicht nötig|schon gut',
    'laisse tomber|laissez tomber|laisse comme ça|laissez comme ça|pas nécessaire|tant pis|inutile|déjalo|déjalo así|no hace falta|no es necesario|olvídalo|deixa assim|não precisa|esquece',
    'lascia così|lascia stare|non serve|non importa|laat maar|laat zo|niet nodig|zostaw|niech zostanie|nieważne|behövs inte|оставь как есть|оставьте как есть|не нужно|не надо|забей',
    '算了|不用了|不用改|不用改了|不需要|保持原样|就这样吧|そのままで|そのままでいいです|そのままで大丈夫です|そのままでお願いします|不要です|気にしないでください|그대로 두세요|그대로 두죠|괜찮아요|괜찮습니다',
  ],
};

/** Emoji that are thanks or praise. Others may ask for something: 👀, 🤔, 👎. */
export const GOOD_EMOJI =
  '👍👌🙏🎉🎊🥳🚀✅✔☑💯😀😃😄😁😊🙂😉😍🤩🥰😎🙌👏💪🔥✨⭐🌟🤝🫡🆗🏆🥇🎯❤♥🧡💛💚💙💜🤎🖤🤍💖💕🫶😅😂🤣😆😇☺😌🍻🎈🌈🦄💐🐑🚢⛵🛳';

/** Their names in Markdown, without colons. */
export const GOOD_SHORTCODES =
  '+1|thumbsup|ok_hand|pray|tada|confetti_ball|partying_face|rocket|white_check_mark|heavy_check_mark|ballot_box_with_check|100|grinning|smiley|smile|grin|blush|slightly_smiling_face|wink|heart_eyes|star_struck|sunglasses|raised_hands|clap|muscle|fire|sparkles|star|star2|handshake|saluting_face|ok|trophy|heart|hearts|orange_heart|yellow_heart|green_heart|blue_heart|purple_heart|sparkling_heart|sweat_smile|joy|laughing|relaxed|beers|shipit|ship|rainbow|unicorn|bouquet';
