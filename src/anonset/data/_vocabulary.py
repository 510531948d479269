"""Words and forms by which data about people are recognised, in several languages.

A word for another language goes here. What follows from the words is decided in `identifiers`, `repeats` and `roles`.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address
from itertools import pairwise

from anonset.model.literals import NUMBER


def _words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# Words of texts.
STOP_WORDS = _words(
    """
the a an and or of to in on at by for with from was were is are has had have been be not no she he her his they them
their after before that this when who which as it its but will would
der die das den dem des ein eine einen einer und oder mit von zu im in am auf bei nach vor nicht ist war hat sie er wird
le la les un une des du de et ou avec pour par sur dans est sont pas elle il qui que
el los las una unos y o con por para en se su del al lo es son
il gli uno di da con per che non sono
"""
)
# First names that are frequent: a column of which half begin with one holds people's names.
FIRST_NAMES = _words(
    """
aaron adam adrian agnes ahmed aisha alan albert alejandro alessandro alex alexander alexandra alfred ali alice alicia
alina amanda amelia amina amir amy ana anders andre andrea andreas andrei andrew angela angelika anita anja anke ann anna
anne anneliese annette anthony antoine anton antonio arthur astrid ayse barbara beate beatrice ben benjamin bernard bernd
bert bettina bill birgit bob boris brad brandon brenda brian brigitte bruno camille carla carlos carmen carol carole
caroline catherine cecile cem charles charlotte chiara chris christa christian christiane christina christine christoph
christopher clara claudia claus colin cornelia craig cynthia dagmar daniel daniela david deborah denis denise dennis derek
diana diane diego dieter dirk dmitri dominik donald donna doris dorothea dorothy edgar eduardo edward eleanor elena eli
elias elisa elisabeth elizabeth elke ella ellen elsa emil emily emma eric erica erich erik ernst esther eugen eva eve
evelyn fabian fatima fatma felix fernando florian francesca francesco francis francisco francois frank frans franz fred
frieda friedrich gabriel gabriele gary george georg gerd gerald gerhard gianni giovanni giulia giuseppe gloria grace greg
gregory greta guido guillaume gunter hamza hanna hannah hannes hans harald harold harry hassan heather heidi heike heiko
heinrich heinz helen helena helene helga helmut henri henrik henry herbert hermann hilda hugo ian ibrahim ida igor ilse ina
ines inga inge ingrid irene iris irma isabel isabella isabelle ivan jack jacob jacqueline jacques jakob james jan jana jane
janet janine jason javier jean jeff jeffrey jennifer jens jeremy jessica jill jim jo joachim joan joanna joao joe joel
johan johann johanna johannes john jonas jonathan jorge jose josef joseph joshua juan judith jules julia julian juliane
julie jurgen karen karin karl karla karolina katarzyna kate katharina katherine kathleen kathrin katja katrin keith kelly
ken kenneth kevin kim klaus konrad kristin kurt lara lars laura lauren laurent lea leah lena leo leon leonard leonie liam
lily linda lisa lotte louis louise luca lucas lucia lucy luigi luis luisa lukas luke lydia maja malte manfred manuel manuela
marc marcel marcella marco marcus maren margaret margarete margit margot maria marianne marie marina mario marion mark
markus marlene marta martha martin martina mary mateo mathias mathilde matteo matthew matthias maurice max maximilian maya
megan mehmet melanie melissa mia michael michaela michel michelle miguel mike mila mohamed mohammed monica monika moritz
mustafa nadia nadine nancy natalia natalie nathan nicholas nick nico nicola nicolas nicole niklas nils nina noah nora
norbert oliver olivia olga omar oscar oskar otto pablo pamela paola paolo pascal patricia patrick paul paula pauline pedro
peter petra philip philipp philippe pierre pietro rachel ralf ralph ramona raphael raul rebecca regina reinhard renate rene
ricardo richard rita robert roberto robin roger roland rolf roman ronald rosa rosemarie ruben rudolf ruth ryan sabine
sabrina sam samantha samir samuel sandra sara sarah saskia scott sean sebastian sergio sharon sibylle sigrid silke silvia
simon simone sofia sonja sonia sophia sophie stefan stefanie steffen stella stephan stephanie stephen steve steven susan
susanne sven svenja sybille sylvia tamara tania tanja ted teresa theo theodor theresa thomas thorsten tim timo tina tobias
tom tomas tony torsten ulla ulrich ulrike ursula ute uwe valentina valerie vanessa vera verena veronica veronika victor
victoria viktor vincent virginia volker waltraud walter wanda wendy werner wilhelm william willi wolfgang xavier yasmin yusuf
yvonne zara zoe
"""
)

# Patterns of the names of columns.
PEOPLE = (
    "patient|person|subject|participant|respondent|individual|citizen|resident|user|visitor|customer|client|member|holder"
    "|employee|student|pupil|beneficiary|insured|card|account|household"
    "|patienten|personen|probanden|kunden|mitglieds|versicherten|konto|karten|haushalts"
)
EVENTS = (
    "invoice|order|receipt|ticket|basket|session|visit|stay|admission|encounter|episode|claim|case|trip"
    "|fall|rechnungs|bestell|auftrags|aufnahme"
)
NUMBERS = "id|no|nr|nbr|num|number|nummer|key|code|ref|uuid|hash"
PERSON_ID_NAMES = re.compile(rf".*({PEOPLE})({NUMBERS})|id|pid|uid|uuid|guid|ssn|mrn|passport", re.IGNORECASE)
EVENT_ID_NAMES = re.compile(rf".*({EVENTS})({NUMBERS})|({PEOPLE})s?", re.IGNORECASE)
ID_NAMES = re.compile(
    r"(?i:(.*[_\W])?((patient|person|user|customer|member|subject|record|case)?id|uuid|guid|key|ssn|mrn|e-?mail|phone|passport"
    r"|(first|last|full|sur|user)?_?name))|.*[a-z](Id|ID)"
)
CONTACT_NAMES = re.compile(  # names, postal and electronic addresses, telephone numbers
    rf"(first|last|full|sur|family|given|middle|maiden|nick|user|login|{PEOPLE})?names?"
    r"|(vor|nach|familien|geburts|zu)name|pr[eé]nom|nom|apellidos?"
    r"|e?mail(address|adresse)?|courriel|correo|(tele|mobile|cell|home|work)?phone(number|no|nr)?"
    r"|tel(efon)?(nummer|nr|no)?|t[eé]l[eé](phone|fono)|(mobil|handy|fax)(nummer|number|nr|no)?"
    r"|(street|home|mailing|postal|ip)?address|street|stra(ss|ß)e|anschrift|adresse|iban",
    re.IGNORECASE,
)
CONTACT_PERSON_NAMES = re.compile(  # people around a person, who are known by name
    r"(attending|treating|family|house|general|referring|responsible|contact|class|case|behandelnde[rn]?|haus)?"
    r"(doctor|physician|surgeon|nurse|midwife|therapist|psychologist|dentist|practitioner|clinician|caregiver|carer|teacher"
    r"|tutor|professor|lawyer|judge|officer|manager|supervisor|agent|advisor|adviser|counsel+or|caseworker|coach|contact"
    r"|contactperson|author|employee|spouse|partner|guardian|parent|mother|father"
    r"|arzt|[aä]rztin|hausarzt|pfleger(in)?|hebamme|lehrer(in)?|betreuer(in)?|sachbearbeiter(in)?|anwalt|anw[aä]ltin"
    r"|m[eé]decin|infirmi[eè]re?|enseignante?|avocate?|m[eé]dico|doctora?|enfermer[oa]|maestr[oa]|abogad[oa]|medic|docente)s?"
    r"(name)?",
    re.IGNORECASE,
)
PERSONAL_NUMBER_NAMES = re.compile(  # numbers and addresses of one person or one device
    r"(badge(no|nr|number)?|plate|numberplate|licen[cs]eplate|kennzeichen|matr[ií]cula|matricule|immatriculation|vin|imei|imsi|iccid|mac|macaddress"
    r"|deviceid|cookie|token|fingerprint|passport|pass(port)?(no|nr|number)|reisepass|ausweis(nr|nummer)?|personalausweis"
    r"|driverslicen[cs]e|driverlicen[cs]e|f[uü]hrerschein(nr|nummer)?|ssn|socialsecurity(number|no)?|nhs(number|no)?|nino"
    r"|mrn|medicalrecord(number|no)?|recordnumber|recordno|svnr|sozialversicherungsnummer|versichertennummer|steuer(id|nummer)"
    r"|taxid|tin|dni|nie|nif|cpf|bsn|pesel|ahv(nr|nummer)?|creditcard(number|no)?|cardnumber|accountnumber|kontonummer|iban"
    r"|serial(number|no|nr)?|hash|sha256|sha1|md5|ip|ipaddress|ipaddr|url|uri|link|website|homepage)",
    re.IGNORECASE,
)
COORDINATE_NAMES = re.compile(
    r"(gps|lat|latitude|lon|lng|long|longitude|coord(inate)?s?|geo(loc(ation)?|point)?|position|latlon)", re.I
)
FREE_TEXT_NAMES = re.compile(
    r"(notes?|comments?|remarks?|freetext|narrative|messages?|memo|anmerkung(en)?|bemerkung(en)?|notiz(en)?"
    r"|kommentare?|freitext|remarques?|commentaires?|observaci[oó]n(es)?|comentarios?|notas?|osservazioni)",
    re.IGNORECASE,
)
AMOUNT_NAMES = re.compile(  # amounts, however many digits they have
    r"(income|salary|wage|pay|price|cost|charges?|amount|sum|total|revenue|turnover|balance|value|worth|weight|height|size|area"
    r"|distance|steps|calories|population|count|volume|mass|score|rate|loss|gain|premium|budget|fnlwgt|loan|debt|fee|tax|rent"
    r"|einkommen|gehalt|lohn|preis|betrag|kosten|summe|umsatz|gewicht|anzahl|wert|fl[aä]che|entfernung|miete"
    r"|revenus?|salaire|prix|montant|poids|co[uû]t|ingresos?|salario|precio|importe|peso|coste|platelets|cells|dose)",
    re.IGNORECASE,
)
WEAK_NAMES = re.compile(  # of people, or of anything else that has a number
    r"ref(erence)?|pseudonym|nr|no|num(ber)?|nummer|n[uú]mero|key|token|badge|plate|licen[cs]e(plate)?|kennzeichen|user|username|login"
    r"|e?mail(address|adresse)?|(tele|mobile|cell|home|work)?phone(number|no|nr)?|tel(efon)?(nummer|nr|no)?|iban|fullname"
    r"|(record|badge|plate|reference|card|file|study|chart|tax|health|insurance|personal|national|social)(id|no|nr|number|nummer)",
    re.IGNORECASE,
)
NAME_PARTS = re.compile(
    r"(first|last|sur|family|given|middle|maiden|vor|nach|familien|pre|ap)?(name|names|nom|nombre)", re.IGNORECASE
)
CODE_NAMES = re.compile(  # of columns whose few whole numbers stand for something else
    r"(.*[_\W])?(type|code|cd|category|cat|status|kind|source|disposition|special[it]+y|department|ward|region|district|county|state"
    r"|sex|gender|geschlecht|race\w?|ethnic\w*|marital\w*|marry|married|familienstand|occupation|beruf|religion|nationality|country)"
    r"([_\W]?(id|code|cd|no|nr))?|.*[_\W]id|.*[a-z](Id|ID|Type|Code)",
    re.IGNORECASE,
)
SHARED_ID_NAMES = re.compile(
    r".*(household|haushalts|account|konto|card|karten).*", re.IGNORECASE
)  # an id that several people may share

# Words in the names of columns: attributes that others may know, attributes of a person, places, amounts, things.
KNOWN = _words(
    """
age ages alter edad eta âge leeftijd birth born dob birthday birthdate birthyear birthplace yob naissance nacimiento nascita
geburt geburtsdatum geburtstag geburtsjahr geburtsort sex gender geschlecht sexe sexo sesso genre genero género race ethnicity
ethnie raza etnia town city village municipality county district region province zip zipcode postcode postal postalcode plz
postleitzahl wohnort ort stadt gemeinde kreis bezirk bundesland ville commune departement département codepostal ciudad
municipio provincia comuna citta città comune cap country nationality nation staatsangehörigkeit land pays nationalite
nationalité pais país nacionalidad residence residency wohnsitz domicile location place standort lieu lugar street address
neighbourhood neighborhood suburb borough date datum fecha timestamp datetime uhrzeit zeitpunkt marital familienstand married
"""
)
# Attributes that others may know, but that may also be the secret: known unless the role is sensitive.
KNOWN_IF_OTHER = _words(
    """
education schooling school degree occupation profession job beruf employer workplace bildung ausbildung schule religion
profesion profesión metier métier workclass children kinder household
"""
)
KNOWN_NAMES = re.compile(r"(us)?state|time|day|weekday|month|year|jahr|altersgruppe|geb(dat(um)?)?|geburts.*", re.IGNORECASE)
PERSONAL = _words(
    "sex gender geschlecht sexo sexe age alter edad birth birthdate birthday birthyear dob dobyy born geburt geburtsdatum"
    " geburtsjahr race ethnicity ethnic marital marry married marriage education educ schooling occupation job profession"
    " beruf religion nationality native smoker height size blood handedness"
)
PLACES = _words(
    "country state county city town village municipality region district province zip zipcode postcode postal plz place"
    " location ort stadt gemeinde kreis land bezirk area street ville commune comune ciudad cp lat lon latitude longitude gps"
    " home residence address site"
)
AMOUNTS = _words(
    "year month week day date time hour hours minute income salary wage weight bmi score amount price cost charge fee quantity"
    " qty count total size rate share value level grade points length width rank temperature pressure result"
)
THINGS = _words(
    "product item article sku stock asin ean isbn brand model color colour description supplier vendor manufacturer material"
    " part category class type kind status group department ward unit hospital clinic doctor physician provider practice"
    " practitioner organization organisation payer insurer company employer store shop branch station route line gate room bed"
    " lab test drug medication procedure diagnosis diagnoses diag icd condition symptom species school course film movie song"
    " book url page campaign channel device browser machine sensor vehicle bus train flight file version language currency"
    " lehrer arzt klinik artikel produkt filiale ware gruppe"
)
ORDINARY = PERSONAL | PLACES | AMOUNTS | THINGS

# Words that are values.
SEXES = _words("m f d w male female man woman männlich weiblich divers mann frau homme femme h masculin féminin hombre mujer")
UNKNOWN_SEXES = frozenset(("x", "u", "o", "unknown", "other", "na", "n/a", "none", "diverse", "unbekannt"))
SEX_VALUES = _words("m f w d x male female man woman männlich weiblich divers other unknown")

# Forms of values.
TITLED = re.compile(
    r"((dr|prof|mr|mrs|ms|herr|frau|mme|mlle|monsieur|madame|dott|dra|sra|srta)\b\.?|(m|sr|hr|fr|ing|mag|dipl|don)\.)\s+[^\W\d].*"
    r"|.*\b(m\.d\.|ph\.?d\.?)",
    re.IGNORECASE,
)
PERSON = re.compile(r"[^\W\d_][\w'’.-]*(,? [^\W\d_][\w'’.-]*){1,3}")
INTERNATIONAL_TELEPHONE = re.compile(r"\+\d[\d ()/.-]{6,18}\d")
LOCAL_TELEPHONE = re.compile(r"\(?0\d{1,5}\)?[ /-]\d[\d -]{3,}\d|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
TELEPHONE = re.compile(r"\(?\d[\d ()/.-]{5,18}\d")  # and many other numbers
URL = re.compile(r"(https?|ftp)://\S+|www\.\S+\.\S+|[\w-]+(\.[\w-]+)*\.[a-z]{2,}/\S+", re.IGNORECASE)
PERSONAL_URL = re.compile(
    r"\S+(://[^/]*@|/~|/@|/(u|users?|profiles?|people|members?|accounts?|patients?)/|[?&](id|u|uid|user|token|email)=)\S+",
    re.IGNORECASE,
)
COORDINATES = re.compile(r"(POINT ?)?\(?[+-]?\d{1,3}[.]\d+°? ?[NS]?[,;/ ] ?[+-]?\d{1,3}[.]\d+°? ?[EWO]?\)?", re.IGNORECASE)
PRECISE_DEGREES = re.compile(r"[+-]?\d{1,3}\.\d{4,}")
MAC = re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}")


def is_computer_address(text: str) -> bool:
    """Whether a text is an IP address."""
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def is_account(text: str) -> bool:
    """Whether a text is an international bank account number: of that form, and its check digits are right."""
    plain = text.replace(" ", "")
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_telephone(text: str) -> bool:
    """Whether a text is a telephone number that begins with the code of a country."""
    return INTERNATIONAL_TELEPHONE.fullmatch(text) is not None and 8 <= sum(map(str.isdigit, text)) <= 15


def is_token(text: str) -> bool:
    """Whether a text is an opaque mixture of letters and digits, such as a hash."""
    if len(text) < 8 or not text.isalnum() or text.isalpha() or text.isdigit():
        return False
    changes = sum(one.isdigit() != two.isdigit() for one, two in pairwise(text))
    return changes >= 3 and (changes * 6 >= len(text))


FORMS: dict[str, Callable[[str], object]] = {  # of values that identify one person or one device
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+").fullmatch,
    "addresses of computers": lambda text: is_computer_address(text) or MAC.fullmatch(text),
    "universal identifiers": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch,
    "bank accounts": re.compile(r"[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?").fullmatch,
    "telephone numbers": is_telephone,
    "addresses of people's pages": PERSONAL_URL.fullmatch,
}
RARE_FORMS: dict[
    str, Callable[[str], object]
] = {  # identify a person if few records share a value; otherwise they belong to things
    "telephone numbers": lambda text: (
        TELEPHONE.fullmatch(text) and sum(map(str.isdigit, text)) >= 7 and not NUMBER.fullmatch(text)
    ),
    "addresses of pages": URL.fullmatch,
    "places on the map": COORDINATES.fullmatch,
    "tokens": is_token,
}


def bare(name: str) -> str:
    """The name of a column without blanks and punctuation."""
    return re.sub(r"[\W_]", "", name)


def is_called(pattern: re.Pattern[str], name: str) -> bool:
    """Whether a column's name, or its last word or two, matches a pattern."""
    words = re.findall(r"[^\W\d_A-Z]+|[A-Z]+[^\W\d_A-Z]*|\d+", name)
    return any(pattern.fullmatch(text) for text in (bare(name), "".join(words[-1:]), "".join(words[-2:])))


def _scale(text: str) -> dict[str, int]:
    """The place of each word: places are separated by `<`, words for one place by `/`; steps by number come before them."""
    return {word.strip(): place for place, words in enumerate(text.split("<"), 100) for word in words.split("/")}


# Words that have an order, without signs and in lower case.
SCALES = (
    _scale(
        "january / jan < february / feb < march / mar < april / apr < may < june / jun < july / jul < august / aug"
        " < september / sep / sept < october / oct < november / nov < december / dec"
    ),
    _scale(
        "januar / jan / jänner < februar / feb / feber < märz / mär / mrz < april / apr < mai < juni / jun < juli / jul"
        " < august / aug < september / sep < oktober / okt < november / nov < dezember / dez"
    ),
    _scale(
        "monday / mon < tuesday / tue / tues < wednesday / wed < thursday / thu / thur / thurs < friday / fri"
        " < saturday / sat < sunday / sun"
    ),
    _scale(
        "montag / mo < dienstag / di < mittwoch / mi < donnerstag / do < freitag / fr < samstag / sonnabend / sa < sonntag / so"
    ),
    _scale(
        "elementary / elementary school / primary / primary school < middle school"
        " < lower secondary < some high school < secondary / secondary school / high school / hs / hs grad / ged"
        " / high school graduate / high school diploma / upper secondary < vocational / trade school"
        " < some college / college / some university < associate / associates / associate s / associate degree / assoc voc"
        " / assoc acdm < bachelor / bachelors / bachelor s / bachelor degree / undergraduate / graduate"
        " < master / masters / master s / master degree / postgraduate < prof school / professional / professional degree"
        " < doctorate / phd / ph d / doctoral"
    )
    | {"preschool": -2, "nursery": -2, "kindergarten": -1},
    _scale(
        "kein abschluss < hauptschule / hauptschulabschluss < realschule / mittlere reife / realschulabschluss < fachabitur"
        " / fachhochschulreife < abitur / hochschulreife < lehre / ausbildung < bachelor < master / diplom / magister"
        " < promotion"
    ),
    _scale(
        "strongly disagree / totally disagree / completely disagree < disagree < somewhat disagree / slightly disagree"
        " < neutral / neither agree nor disagree / undecided / neither < somewhat agree / slightly agree < agree"
        " < strongly agree / totally agree / completely agree"
    ),
    _scale(
        "stimme überhaupt nicht zu / stimme gar nicht zu < stimme nicht zu < stimme eher nicht zu < neutral / teils teils"
        " / weder noch < stimme eher zu < stimme zu < stimme voll zu / stimme voll und ganz zu"
    ),
    _scale(
        "very dissatisfied / very unsatisfied < dissatisfied / unsatisfied < somewhat dissatisfied < neutral"
        " / neither satisfied nor dissatisfied < somewhat satisfied < satisfied < very satisfied"
    ),
    _scale("very unlikely < unlikely < somewhat unlikely < neutral / possible < somewhat likely < likely < very likely"),
    _scale(
        "not important / not at all important / unimportant < slightly important < moderately important / neutral < important"
        " < very important < extremely important"
    ),
    _scale(
        "never / not at all < almost never / hardly ever < very rarely < rarely / seldom < occasionally < sometimes"
        " < regularly < often / frequently / usually < very often / very frequently < almost always / mostly < always"
    ),
    _scale(
        "nie < fast nie < sehr selten < selten < gelegentlich < manchmal < regelmäßig < oft / häufig < sehr oft / sehr häufig"
        " < fast immer / meistens < immer"
    ),
    _scale("daily < weekly < monthly < quarterly < yearly / annually"),
    _scale(
        "very poor / very bad / terrible < poor / bad < fair / average / ok / okay / acceptable < good < very good < excellent"
        " / outstanding"
    ),
    _scale("sehr schlecht < schlecht < mittelmäßig / mäßig / ausreichend < befriedigend / mittel < gut < sehr gut"),
    _scale(
        "none / no / not at all < very low < low < below average"
        " < medium / moderate / middle / mid / average / normal / intermediate"
        " < above average < high < very high < extreme / extremely high / severe"
    ),
    _scale("keine / kein < sehr niedrig / sehr gering < niedrig / gering < mittel / mäßig < hoch < sehr hoch"),
    _scale(
        "none / no / absent < minimal / trace < mild / slight / light < moderate / medium"
        " < severe / serious / strong < very severe / critical / extreme < fatal / death"
    ),
    _scale("keine < leicht / mild < mittel / mäßig / mittelgradig / moderat < schwer < sehr schwer / kritisch < tödlich"),
    _scale("tiny / very small < small / little < medium / middle < large / big < very large / huge"),
    _scale("xxs < xs < s < m < l < xl < xxl < xxxl"),
    _scale("beginner / novice < elementary < intermediate < upper intermediate < advanced < expert / fluent < native"),
    _scale(
        "underweight < normal / normal weight / healthy weight < overweight < obese / obesity < severely obese / morbidly obese"
    ),
    _scale(
        "newborn / neonate < infant / baby < toddler < child / children / kid < preteen < teen / teenager / adolescent / youth"
        " < young adult < adult < middle aged / middle age < senior / elderly / older adult / old"
    ),
    _scale("säugling < kleinkind < kind < jugendlicher / jugendliche < erwachsener / erwachsene < senior / senioren"),
    _scale("bronze < silver < gold < platinum < diamond"),
)
