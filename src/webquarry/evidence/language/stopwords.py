"""Words that say nothing about the subject, by language (named as Snowball names them)."""

from __future__ import annotations

_WORDS = {
    "english": """
        a an and are as at be been but by can could did do does for from had has have he her his
        how i if in into is it its may more most not of on or our she so some such than that the
        their them then there these they this to up was we were what when where which while who
        why will with would you your
    """,
    "german": """
        aber als am an auch auf aus bei bin bis bist da damit das dass dem den der des die dies
        diese dieser doch durch ein eine einem einen einer eines er es für hat haben hatte ich ihr
        im in ist ja kann kein keine mit nach nicht noch nur ob oder sein sich sie sind so über um
        und uns unter vom von vor war waren was wenn wer werden wie wird wo zu zum zur
    """,
    "french": """
        a ai au aux avec ce ces cette comme dans de des du elle elles en est et eux fait il ils je
        la le les leur lui ma mais me même mes moi mon ne nos notre nous on ont ou où par pas plus
        pour qu que qui sa sans se ses si son sont sur ta te tes toi ton tu un une vos votre vous
        été être
    """,
    "spanish": """
        a al algo como con de del desde donde dos el ella ellas ellos en entre era es esa ese eso
        esta este esto está están fue ha han hasta hay la las le les lo los más me mi muy no nos o
        para pero por porque que qué quien se ser si sin sobre son su sus también te tiene todo tu
        un una uno y ya
    """,
    "italian": """
        a ad agli ai al alla alle anche c che chi ci come con cui da dagli dai dal dalla dei del
        della delle di dove e ed era gli ha hanno i il in io la le lei lo loro lui ma mi nei nel
        nella non o ogni per perché più quale quando quello questa questo se si sono su sua sul
        suo tra un una uno è
    """,
    "portuguese": """
        a ao aos as até com como da das de dela dele do dos e ela ele eles em entre era essa esse
        esta este eu foi há isso já mais mas me mesmo muito na nas no nos não o os ou para pela
        pelo por qual quando que quem se sem ser seu sua são também te tem um uma você à é
    """,
    "dutch": """
        aan al als ben bij daar dan dat de der deze die dit doch door dus een en er ge geen had
        heb hebben heeft hem het hier hij hoe hun ik in is ja je kan maar me meer men met mij mijn
        na naar niet nog nu of om omdat ons ook op over te tegen toch toen tot u uit van veel voor
        want waren was wat we wel werd wie wij wordt ze zich zij zijn zo
    """,
    "swedish": """
        alla att av blev blir de dem den denna det detta dig din du där efter eller en er ett från
        för ha hade han har hon hur här i icke inte jag kan man med men mig min mot mycket ni nu
        när något och om oss på sedan sig sin ska skulle som så till under upp ut vad var vara vi
        vid är även över
    """,
    "danish": """
        af alle at blev da de dem den denne der deres det dette dig din du efter eller en end er
        et for fra ham han har havde hun hvad hvis hvor i ikke ind jeg kan man mange med meget men
        mig min mod når og også om op os over på selv sig sin skal som sådan til ud under var ved
        vi vil være
    """,
    "norwegian": """
        alle at av ble bli da de dem den denne der deres det dette du eller en er et etter for fra
        før ha hadde han har hun hva hvis hvor i ikke inn jeg kan kom man med men mer mot må når
        og også om opp oss over på seg selv sin skal som så til ut var ved vi vil være å
    """,
    "finnish": """
        ei eivät en että he hän ja joka jos kanssa kuin kun me mikä minä mutta myös ne niin nyt
        olen oli olla on ovat se sekä sen siis sinä tai te tämä tästä vaan vai vaikka ja
    """,
    "russian": """
        а без более бы был была были было быть в вам вас во вот все всё для до его ее её если есть
        же за и из или им их к как ко когда кто ли мне мы на над не него нет но о об один он она
        они от по под при с со так также там то тоже только у уже чего чем что чтобы эта эти это
        этот я
    """,
}

STOP_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
