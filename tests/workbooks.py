"""A workbook with two sheets that are tables."""

import io

import openpyxl


def workbook():
    """Its bytes."""
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active.title, later = "first", book.create_sheet("later")
    for sheet, rows in ((book.active, (("town",), ("Bonn",))), (later, (("town", "age"), ("Bonn", 30), ("Ulm", 31)))):
        for row in rows:
            sheet.append(row)
    book.save(data)
    return data.getvalue()
