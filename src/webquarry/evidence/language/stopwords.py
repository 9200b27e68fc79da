"""Stop words by language, named as Snowball names it. Those of scripts without spaces are pairs of
characters, removed from questions only.
"""

from __future__ import annotations

from webquarry.evidence.language.words import fold, without_accents

_WORDS = {
    "english": """
        a an and are as at be been but by can could did do does for from had has have he her his
        how i if in into is it its may more most not of on or our she so some such than that the
        their them then there these they this to up was we were what when where which while who
        about also am any many me much my no only other should us very whom whose why will with
        would you your
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
        pour qu que quel quelle quels quelles qui sa sans se ses si son sont sur ta te tes toi ton
        tu un une vos votre vous été être
    """,
    "spanish": """
        a al algo como con de del desde donde dos el ella ellas ellos en entre era es esa ese eso
        esta este esto está están fue ha han hasta hay la las le les lo los más me mi muy no nos o
        para pero por porque que qué quien quién cuál cuándo cuánto cuántos cuántas cómo dónde se
        ser si sin sobre son su sus también te tiene todo tu un una uno y ya
    """,
    "italian": """
        a ad agli ai al alla alle anche che chi ci come con cui da dagli dai dal dalla dei del
        della delle di dove e ed era gli ha hanno i il in io la le lei lo loro lui ma mi nei nel
        nella non o ogni per perché più quale quando quello questa questo se si sono su sua sul suo
        tra un una uno è
    """,
    "portuguese": """
        a ao aos as até com como da das de dela dele do dos e ela ele eles em entre era essa esse
        esta este eu foi há isso já mais mas me mesmo muito na nas no nos não o os ou para pela
        pelo por qual quando que quem se sem ser seu sua são também te tem um uma você à é
    """,
    "dutch": """
        aan al als ben bij daar dan dat de der deze die dit doch door dus een en er ge geen had heb
        hebben heeft hem het hier hij hoe hun ik in is ja je kan maar me meer men met mij mijn na
        naar niet nog nu of om omdat ons ook op over te tegen toch toen tot u uit van veel voor
        want waren was wat we wel werd wie wij wordt ze zich zij zijn zo
    """,
    "swedish": """
        alla att av blev blir de dem den denna det detta dig din du där efter eller en er ett från
        för ha hade han har hon hur här i icke inte jag kan man med men mig min mot mycket ni nu
        när något och om oss på sedan sig sin ska skulle som så till under upp ut vad var vara vi
        vid är även över
    """,
    "danish": """
        af alle at blev da de dem den denne der deres det dette dig din du efter eller en end er et
        for fra ham han har havde hun hvad hvis hvor i ikke ind jeg kan man mange med meget men mig
        min mod når og også om op os over på selv sig sin skal som sådan til ud under var ved vi
        vil være
    """,
    "norwegian": """
        alle at av ble bli da de dem den denne der deres det dette du eller en er et etter for fra
        før ha hadde han har hun hva hvis hvor i ikke inn jeg kan kom man med men mer mot må når og
        også om opp oss over på seg selv sin skal som så til ut var ved vi vil være å
    """,
    "finnish": """
        ei eivät en että he hän ja joka jos kanssa kuin kun me mikä minä mutta myös ne niin nyt
        olen oli olla on ovat se sekä sen siis sinä tai te tämä tästä vaan vai vaikka
    """,
    "russian": """
        а без более бы был была были было быть в вам вас во вот все всё для до его ее её если есть
        же за и из или им их к как ко когда кто ли мне мы на над не него нет но о об один он она
        они от по под при с со так также там то тоже только у уже чего чем что чтобы эта эти это
        этот я
    """,
    "ukrainian": """
        а або але бо був була було були в вам вас ви від він вона вони воно все для до є же з за зі
        і із їх його її й коли ми на над не ні по при про скільки так також там те ти то того у хто
        це цей ця чи чим чого що щоб як яка яке який які якого якої
    """,
    "bulgarian": """
        а ако без беше бил била били било в във всички вие го да дали до докато е за и из или им
        имат как каква какво какъв кога кой колко която които което който къде ли ме между ми на
        най не него нея ни но ние от по под при с са се си след със съм така те тези това той тя че
        ще я
    """,
    "serbian": """
        a ali bi bila bili bilo bio biti da do ga gde i ih ili iz ja je jer jesu još kad kada kako
        kao ko koja koje koji koju koliko mi može na ne nego ni nije nisu o od on ona oni ono ovaj
        po pod sa sam samo se si smo su sve šta što ta taj te to tu u uz već za а али би била били
        било био бити где и или из ја је јер јесу још кад када како као ко која које који коју
        колико на не није о од он она они оно по са се су све та тај те то у већ за шта што
    """,
    "greek": """
        αλλά αν από αυτά αυτές αυτή αυτό αυτοί αυτός για γιατί δεν εγώ εδώ εκεί είμαι είναι εμείς
        ένα έναν ένας έχει έχουν ή ήταν η θα και κάθε κατά μας με μετά μέχρι μη μην μια μία μου να
        ο οι όμως όπου όπως όταν ότι πιο ποια ποιο ποιος ποιοι πόσα πόσες πόσο πόσοι πότε που πού
        προς πώς σαν σας σε σου στα στη στην στις στο στον στους τα τη την της τι τις το τον του
        τους των ως
    """,
    "turkish": """
        acaba ama ancak bana bazı belki ben beri bir biri biz bu buna bunu bunun çok çünkü da daha
        de defa değil diye en gibi hangi hangisi hem hep hepsi her hiç için ile ise kaç kadar ki
        kim kimi mı mi mu mü mıdır midir nasıl ne neden nedir nerede neresi neresidir niçin niye o
        olan olarak oldu olduğu on ona onlar onu onun sana sen siz şey şu tüm var ve veya ya yani
        yok
    """,
    "romanian": """
        a ai al ale am ar are as asupra au avea această acest acestei aceste ca care când câți câte
        cât câtă ce cea cei cel cele cine cu cum că da dar de decât despre din după ea ei el ele
        era este ești eu fi fie fost în încât între îi îl îmi își la le li lor lui mai mult nici nu
        o ori pe pentru prin sa sau se și sunt să spre te tot toți toată un una unde unei unor unui
        va vor
    """,
    "hungarian": """
        a ahol aki ami amely az azt be csak de e egy él el és ez ezt fel ha hány hanem hogy hogyan
        hol igen ill is ison ki kinek le lesz lett már meg mely mennyi mert mi mikor milyen mint
        mit mivel most nagyon nem nincs ő ők össze rá sem s szerint több után vagy van vannak volt
        voltak
    """,
    "indonesian": """
        ada adalah agar akan anda antara apa apakah atas atau bagaimana bagi bahwa banyak beberapa
        berapa bisa bukan dalam dan dapat dari dengan di dia hanya harus ia ini itu jika juga kami
        kapan karena ke kepada ketika kita lebih maka mana mereka oleh pada para saat saja sangat
        saya sebagai sebuah secara sedangkan seperti serta siapa suatu sudah telah tentang terhadap
        tersebut tidak untuk yang
    """,
    "lithuanian": """
        apie ar arba aš bei be bet bus buvo būti dar dėl ir iš į ji jie jis jo jos jų jei kad kada
        kai kaip kas kiek kiekvienas kokia koks ką kur kurie kuri kuris labai mes nei nes ne nėra
        nuo o pagal per po prie su ši šis ta tai taip tas tik to tuo už yra
    """,
    "polish": """
        a aby albo ale ani bardzo będzie by był była było były być bez co czy czyli dla do gdy
        gdzie go i ich ile im iż ja jak jaka jaki jakie jako jego jej jest jestem kiedy kto który
        która które których ma mają mi między mnie może na nad nie niż o od on ona oni ono oraz po
        pod przez przy są się ta tak także tam te tego tej ten to tu ty w we więc z za ze że
    """,
    "czech": """
        a aby ale ani asi bez bude by byl byla byli bylo být co či do ho i jak jaká jaké jako jaký
        je jeho její jejich jen ještě jsem jsou již k kam kde kdo když kdy kolik která které který
        kteří ku má mají mezi mi na nad ne nebo není než o od on ona oni ono po pod podle pro proč
        protože před při s se si své svou ta tak také tam ten tento této to toho tu v ve však z za
        ze že
    """,
    "estonian": """
        aga ei ehk et iga ja ka kas keda kelle kes kogu kui kuidas kuni kus kust la ma me mida mis
        miks milline millal mille mitu mitte ning nad need nii nende oli olid olla on palju pole sa
        see seda selle selles siis ta te temal tema või üks üle
    """,
    "catalan": """
        a al als amb aquest aquesta aquests això cada com del dels des el ella ells els en entre
        era és es esta està fins ha han hi i la les li lo més no o on per però perquè qual quan
        quant quants que què qui se sense ser si són sobre també té tot un una uns va
    """,
    "basque": """
        al ala anitz arabera baina bat batean batek bere da dago dira ditu du dute edo egin ere eta
        ez guztiak hau hori horrek izan izango nola non nor noiz ondoren oso zein zen zer zergatik
        ziren zituen zuen
    """,
    "irish": """
        a ach ag agus an ar as atá ba bhí cad cathain cé céard conas cá dá de den do don é faoi
        gach go í iad idir in is le leis mar na ná nach ní níl nó ó ón roimh sa seo sin sé sí siad
        tá trí um
    """,
    "vietnamese": """
        ai bao bị bởi các cái cho có của cũng đã đang để đến đi được gì hay hơn khi không là lại
        làm mà mấy một nào này nếu người nhiêu nhiều nhất những như ở ra rất sao sẽ tại thế thì
        trên trong từ và vào vẫn vì về với
    """,
    "armenian": """
        այդ այլ այն այս ապա արդյոք բայց դա դու էր էին է են եմ ես եք եւ և թե թէ ի իր ինչ ինչպես
        ինչու իսկ կամ հետ հետո մեջ մի մեր նա նաև նրա նրանք որ որը որոնք որտեղ որպես որքան ով ու ում
        վրա քանի
    """,
    "arabic": """
        أن أنا أنت أو أي أين أية إذا إلا إلى إن الآن التي الذي الذين اللذين بعد بين تلك ثم حتى حول
        حيث خلال ذلك سوف على عن عند غير فقط في فيه فيها قبل قد كان كانت كل كم كما كيف لا لأن لقد
        لكن لم لماذا له لها لهم ليس لن ما ماذا متى مع من منذ منها منه نحن هذا هذه هل هم هناك هو هي
        و وهو وهي يكون
    """,
    "persian": """
        از است آن اما اند ای این با باشد باید بر برای بود بودند به بین پس پیش تا تر ترین چرا چند چه
        چگونه چیست خواهد خود در دارد دارند را شد شده شود که کدام کجا کرد کرده کنند کند کی کیست ما
        من می نمی نه نیز نیست ها هایی های هر هستند هم همه و ولی وی یا یک
    """,
    "urdu": """
        اس ان اور ایک بھی پر تک تھا تھی تھے تو جو جب جس سے کا کب کہ کہاں کتنے کتنا کتنی کر کرنے کسی
        کون کو کی کیا کیسے کیوں کے گا گی گے لیے میں نہیں نے وہ ہم ہو ہوا ہوئے ہی ہے ہیں یا یہ
    """,
    "hebrew": """
        או אז אחר אחרי אך אל אם אני אנחנו אשר את אתה בין גם הוא היא היה היו הם הן הזה זאת זה זו יש
        כאשר כי כל כמה כן לא לאחר לפני מאוד מה מי מתי על עד עם רק של שלו שלה שם איך איפה אין למה
    """,
    "yiddish": """
        און אויך אויף אויב אונדז אַז אַן אין איז איך אים איר אַלע בײַ ביז דאָס דאָרט די דער דעם דו
        האָט האָבן וואָס וועט ווי ווײַל ווער ווען וווּ זײַ זיי זיך זיינען זענען זי ער עס פֿון פאר
        פֿאַר צו קיין ניט נישט מיט מיר
    """,
    "hindi": """
        अपना अपनी अपने और इस इसका इसकी इसके इन इनका उस उसका उसकी उसके उन उनका उनकी उनके एक ऐसा का
        कि की किस किसी कितना कितनी कितने कब कर करना करने कहाँ कहां के कैसे को कोई कौन क्या क्यों
        गया गई जब जहाँ जाता जो तक तो था थी थे द्वारा न नहीं ने पर बहुत भी में यह यहाँ या ये रहा लिए
        वह वे सभी साथ से हम ही हुआ हुई हुए है हैं हो होता होती होते
    """,
    "nepali": """
        अनि अरू आफ्नो उनी उनको एक कति कसरी कसको कहाँ कहिले का कि किन की के को कुन कुनै गरी गरेको छ
        छन् छैन छिन् जुन त तथा तर तिनी तिमी थियो थिए देखि न नै पनि पछि बाट भने भएको भयो म मा यो यस
        यसको र रहेको लाई ले वा सँग सबै हुन हुन्छ हो
    """,
    "tamil": """
        அது அந்த அவர் அவர்கள் அவள் அவன் ஆகும் ஆனால் இது இந்த இல்லை இவை இருந்து உள்ள உள்ளது எங்கே
        எந்த எத்தனை எது எப்படி எப்போது என் என்ன என்று என்பது ஏன் ஒரு ஓர் தான் நான் நாம் மற்றும் மிக
        மீது முதல் யார் வரை
    """,
    "bengali": """
        আমরা আমি আর ইহা এ এই এক একটি এবং এর ও ওই কত কবে করা করে কি কী কিন্তু কে কেন কোন কোথায়
        কিভাবে ছিল ছিলেন জন্য তা তার তাদের তিনি থেকে দ্বারা না পরে যা যে সে সঙ্গে সাথে হয় হয়েছে
        হয়েছিল হবে
    """,
    "chinese": """
        什么 什麼 多少 哪里 哪裡 哪个 哪個 哪些 怎么 怎麼 怎样 怎樣 如何 为何 為何 谁是 誰是 几个
        幾個 是什 么是 有多 有哪 是多 是谁 是誰 的是
    """,
    "japanese": """
        です ます でし まし した ますか 何で どこ いつ だれ なぜ どう どの どれ いく つい こと もの
        ある いる する され れた てい いま って から まで より など
    """,
    "thai": """
        คือ ที่ไหน อะไร เท่าไร เท่าไหร่ ใคร เมื่อไร เมื่อไหร่ อย่างไร ทำไม และ ของ ใน เป็น ที่ มี
        ได้ ว่า
    """,
}


def _fold_words(words: str) -> frozenset[str]:
    """Return the words with and without accents."""
    folded = [fold(word) for word in words.split()]
    return frozenset(folded).union(map(without_accents, folded))


STOP_WORDS = {language: _fold_words(words) for language, words in _WORDS.items()}
