"""Questions in many languages: each finds its own passage, by its stems, and no other."""

from __future__ import annotations

import pytest

from webquarry.evidence.language.terms import Terms

# The language, a question, the passage that answers it, and one of the same page that does not.
QUESTIONS = [
    ("english", "How many boats were built?", "The yard builds a boat.", "Fish swim here."),
    ("german", "Wie hoch sind die Türme der Stadt?", "Der Turm ist hoch.", "Das Essen war gut."),
    ("french", "Quelle est la hauteur des marées ?", "La marée est haute.", "Le pain est bon."),
    ("spanish", "¿Cuántos barcos hay en el puerto?", "Un barco del puerto.", "La comida es buena."),
    ("russian", "Население города Москвы", "В Москве население растёт.", "Кошки едят рыбу."),
    ("russian", "Высота горы Эльбрус", "Эльбрус имеет высоту 5642 метра.", "Кошки едят рыбу."),
    ("ukrainian", "Яке населення міста Львів?", "Населення Львова зростає.", "Коти їдять рибу."),
    ("bulgarian", "Колко жители има градът?", "В града живеят много жители.", "Котката яде риба."),
    ("serbian", "Колико становника има Београд?", "У Београду је милион.", "Мачке једу рибу."),
    ("greek", "Ποιος είναι ο πληθυσμός της Αθήνας;", "Η Αθήνα έχει πληθυσμό.", "Οι γάτες τρώνε."),
    ("turkish", "İstanbul'un nüfusu kaç?", "istanbul nüfus bakımından ilktir.", "Kediler balık yer."),
    ("romanian", "Care este populația orașului?", "Populația din oraș a scăzut.", "Pisica doarme."),
    ("hungarian", "Hány lakosa van a városnak?", "A város lakosai sokan vannak.", "A macska alszik."),
    ("indonesian", "Siapa yang mengirim surat itu?", "Surat dikirim oleh dia.", "Kucing makan ikan."),
    ("lithuanian", "Kiek gyventojų yra mieste?", "Miestas turi gyventojus.", "Katė valgo žuvį."),
    ("polish", "Ile mieszkańców ma miasto?", "W mieście są mieszkańcy.", "Kot je rybę."),
    ("czech", "Kolik obyvatel má město?", "Ve městě jsou obyvatelé.", "Kočka jí rybu."),
    ("finnish", "Mikä on kaupungin väkiluku?", "Kaupungissa väkiluku kasvoi.", "Kissa syö kalaa."),
    ("estonian", "Mitu elanikku on linnas?", "Linna elanikud on noored.", "Kass sööb kala."),
    ("catalan", "Quants habitants té la ciutat?", "Els habitants de ciutats.", "El gat menja peix."),
    ("vietnamese", "Dân số của Hà Nội là bao nhiêu?", "Hà Nội có dân số lớn.", "Mèo ăn cá."),
    ("armenian", "Որքա՞ն է Երևանի բնակչությունը", "Երևանի բնակչությունը մեծ է։", "Կատուն ձուկ է ուտում։"),
    ("arabic", "كم عدد سكان القاهرة؟", "بلغ عدد السكان في القاهرة مليونا.", "القطة تأكل السمك."),
    ("persian", "جمعیت شهر تهران چند نفر است؟", "تهران جمعیت زیادی دارد.", "گربه ماهی می‌خورد."),
    ("urdu", "لاہور کی آبادی کتنی ہے؟", "آبادی میں لاہور دوسرا ہے۔", "بلی مچھلی کھاتی ہے۔"),
    ("hebrew", "כמה תושבים יש בירושלים?", "ירושלים היא עיר של תושבים.", "החתול אוכל דג."),
    ("hindi", "दिल्ली की जनसंख्या कितनी है?", "दिल्ली में जनसंख्या बढ़ी।", "बिल्ली मछली खाती है।"),
    ("nepali", "काठमाडौंको जनसंख्या कति छ?", "काठमाडौंमा जनसंख्या बढ्यो।", "बिरालो माछा खान्छ।"),
    ("tamil", "சென்னையின் மக்கள் தொகை என்ன?", "சென்னை மக்கள் தொகை.", "பூனை மீன் சாப்பிடும்."),
    ("bengali", "কলকাতার জনসংখ্যা কত?", "কলকাতা শহরে জনসংখ্যা বেশি।", "বিড়াল মাছ খায়।"),
    ("", "ประชากรกรุงเทพมีเท่าไร", "กรุงเทพมีประชากรสิบล้านคน", "แมวชอบกินปลา"),
    ("", "东京的人口是多少？", "东京人口约一千四百万。", "猫喜欢吃鱼。"),
    ("", "東京タワーの高さは何メートルですか", "高さ333メートルの東京タワー。", "猫は魚が好きです。"),
    ("", "서울의 인구는 얼마입니까?", "서울은 인구가 많다.", "고양이가 생선을 먹는다."),
    ("", "ປະຊາກອນລາວມີເທົ່າໃດ", "ລາວມີປະຊາກອນ", "ແມວກິນປາ"),
    ("", "ភ្នំពេញមានប្រជាជនប៉ុន្មាន", "ប្រជាជននៅភ្នំពេញ", "ឆ្មាស៊ីត្រី"),
    ("", "ရန်ကုန်မြို့လူဦးရေ", "လူဦးရေများသောရန်ကုန်", "ကြောင်ငါးစား"),
]  # fmt: skip
each_question = pytest.mark.parametrize(
    ("language", "question", "answer", "other"),
    QUESTIONS,
    ids=[question for _, question, _, _ in QUESTIONS],
)


@each_question
def test_a_question_finds_its_passage_and_not_the_other(
    language: str, question: str, answer: str, other: str
) -> None:
    terms = Terms(question, f"{answer} {other}")

    assert terms.in_text(answer)
    assert 2 * terms.weight(terms.in_text(other)) < terms.weight(terms.in_text(answer))


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Çelik", "celik"),
        ("Straße", "STRASSE"),
        ("İzmir", "izmir"),
        ("Αθήνα", "ΑΘΗΝΑ"),
        ("ё", "е"),
        ("مُحَمَّد", "محمد"),
        ("أحمد", "احمد"),
        ("۱۹۸۴", "1984"),
        ("1,234,567", "1234567"),
        ("energie", "l’énergie"),
        ("boat", "The boat's"),
        ("co\u00adoperate", "cooperate"),
        ("e\u0301te\u0301 rouge", "été rouge"),
    ],
)
def test_the_same_word_is_found_however_it_is_written(asked: str, written: str) -> None:
    assert Terms(asked, written).in_text(written)
    assert Terms(written, asked).in_text(asked)


@pytest.mark.parametrize(
    ("asked", "written"),
    [("हिन्दी", "हन्द"), ("कमल", "काम"), ("Vitamin D", "Vitamin's"), ("1.5", "15"), ("東京", "京東")],
)
def test_vowel_signs_and_single_letters_tell_words_apart(asked: str, written: str) -> None:
    terms = Terms(asked, written)

    assert len(terms.in_text(written)) < len(terms.weights)


def test_question_keeps_its_own_stop_words() -> None:
    page = "Der Turm von London ist sehr alt, und die Stadt ist groß. Das ist nicht alles."

    assert set(Terms("what is the age of London", page).weights) == {"age", "london"}
