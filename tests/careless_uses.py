"""Uses of a careless publisher, each of which is refused with a way out or harmless."""

from typing import NamedTuple

Q = "--quasi age,sex,town"


class Use(NamedTuple):
    """Flags of `anonymize`, and the flags that are added to get through the refusal; none where it is harmless."""

    flags: str
    way_out: str | None = None


REFUSED = {
    "no roles at all": Use("", "--drop-items mrn:*"),
    "tags as items": Use(f"{Q} --items tags", "--drop-items mrn:*"),
    "tags among items": Use(f"{Q} --items diag,tags", "--drop-items tags.mrn:*"),
    "tags among items, bare pattern": Use(f"{Q} --items diag,tags", "--drop-items mrn:*"),
    "free text as items": Use(f"{Q} --items note", "--accept-exposure note"),
    "short remarks as items": Use(f"{Q} --items remark", "--accept-exposure remark"),
    "addresses of computers as items": Use("--items ip", "--accept-exposure ip"),
    "e-mail as items": Use("--items email", "--accept-exposure email"),
    "telephones as items": Use("--items phone", "--accept-exposure phone"),
    "mobiles as items": Use("--items mobile --item-separator ;", "--accept-exposure mobile"),
    "hashes as items": Use("--items ref", "--accept-exposure ref"),
    "pages as items": Use("--items url", "--accept-exposure url"),
    "places as items": Use("--items gps --item-separator ;", "--accept-exposure gps"),
    "plates as items": Use("--items plate --item-separator ;", "--accept-exposure plate"),
    "badges as items": Use("--items badge", "--accept-exposure badge"),
    "names as items": Use("--items name", "--accept-exposure name"),
    "doctors as items": Use("--items doctor --item-separator ;", "--accept-exposure doctor"),
    "times as items": Use("--items seen", "--accept-exposure seen"),
    "accounts as items": Use("--items iban", "--accept-exposure iban"),
    "record numbers as items": Use("--items pid", "--accept-exposure pid"),
    "hash as quasi": Use("--quasi sex,ref --items diag", "--accept-exposure ref"),
    "page as quasi": Use("--quasi sex,url --items diag", "--accept-exposure url"),
    "place as quasi": Use("--quasi sex,gps --items diag", "--accept-exposure gps"),
    "latitude as quasi": Use("--quasi sex,lat,lon --items diag", "--accept-exposure lat,lon"),
    "telephone as quasi": Use("--quasi sex,phone --items diag", "--accept-exposure phone"),
    "mobile as quasi": Use("--quasi sex,mobile --items diag", "--accept-exposure mobile"),
    "record number as quasi": Use("--quasi sex,pid --items diag", "--accept-exposure pid"),
    "name as quasi": Use("--quasi sex,name --items diag", "--accept-exposure name"),
    "doctor as quasi": Use("--quasi sex,doctor --items diag", "--accept-exposure doctor"),
    "e-mail as quasi": Use("--quasi sex,email --items diag", "--accept-exposure email"),
    "computer as quasi": Use("--quasi sex,ip --items diag", "--accept-exposure ip"),
    "plate as quasi": Use("--quasi sex,plate --items diag", "--accept-exposure plate"),
    "badge as quasi": Use("--quasi sex,badge --items diag", "--accept-exposure badge"),
    "account as quasi": Use("--quasi sex,iban --items diag", "--accept-exposure iban"),
    "note as quasi": Use("--quasi sex,note --items diag", "--accept-exposure note"),
    "remark as quasi": Use("--quasi sex,remark --items diag", "--accept-exposure remark"),
    "time as quasi": Use("--quasi sex,seen --items diag", "--accept-exposure seen"),
    "doctor as sensitive": Use(f"{Q} --items diag --sensitive doctor", "--accept-exposure doctor"),
    "hash as other": Use(f"{Q} --items diag --other ref", "--accept-exposure ref"),
    "remark as other": Use(f"{Q} --items diag --other remark", "--accept-exposure remark"),
    "age and town as sensitive": Use("--quasi sex --items diag --sensitive age,town", "--accept-exposure age,town"),
    "age and town as other": Use("--quasi sex --items diag --other age,town", "--accept-exposure age,town"),
    "town as sensitive beside age": Use("--quasi sex,age --items diag --sensitive town", "--accept-exposure town"),
    "postcode as other": Use("--quasi sex --items diag --other zip", "--accept-exposure zip"),
    "date of birth as sensitive": Use("--quasi sex --items diag --sensitive birth", "--accept-exposure birth"),
    "sex as other": Use("--quasi age,town,zip --items diag --other sex", "--accept-exposure sex"),
}
HARMLESS = {
    "plain roles": Use(f"{Q} --items diag"),
    "codes of visits": Use(f"{Q} --items diag --sensitive disease"),
    "items alone": Use("--items diag --identifier pid"),
    "a date of birth": Use("--quasi sex,birth --items diag"),
    "a postcode": Use("--quasi sex,zip --items diag"),
    "an income": Use("--quasi sex,income --items diag"),
    "an answer": Use(f"{Q} --items diag --sensitive disease --other outcome"),
}
K_OF_ONE = f"{Q} --items diag"
