"""First names that are frequent in several languages: a column of which half begin with one holds people's names."""

LISTED = """
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
FIRST_NAMES = frozenset(LISTED.split())
