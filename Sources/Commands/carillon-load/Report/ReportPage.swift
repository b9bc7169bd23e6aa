import Foundation

/// A self-contained HTML page.
enum ReportPage {
    static func html(title: String, body: [String]) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title.escaped)</title>
        <style>
        \(EmbeddedStyle.css)\(colors)
        </style>
        </head>
        <body>
        <main>
        \(body.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    static func write(_ html: String, to path: String) throws { try Data(html.utf8).write(toPath: path) }

    static func section(_ title: String, lead: String = "", _ content: [String]) -> String {
        let lead = lead.isEmpty ? "" : "<p class=\"lead\">\(lead)</p>"
        return "<section><h2>\(title)</h2>\(lead)\(content.joined(separator: "\n"))</section>"
    }

    static func tile(_ name: String, value: String, detail: String, isBad: Bool = false) -> String {
        let parts = value.split(separator: " ", maxSplits: 1).map { String($0).escaped }
        let unit = parts.count > 1 ? " <small>\(parts[1])</small>" : ""
        return "<div class=\"tile\(isBad ? " alarm" : "")\"><h3>\(name.escaped)</h3><p>\(parts.first ?? "")\(unit)</p>"
            + "<small>\(detail.escaped)</small></div>"
    }

    /// Returns a table whose rows become cards in a narrow window. The cells are HTML.
    static func table(_ head: [String], rows: [[String]]) -> String {
        let header = head.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let body = rows.map { row in
            let cells = zip(head, row).enumerated().map { index, cell in
                index == 0 ? "<th scope=\"row\">\(cell.1)</th>" : "<td data-name=\"\(cell.0)\">\(cell.1)</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return "<table class=\"cards\"><thead><tr>\(header)</tr></thead><tbody>\(body.joined())</tbody></table>"
    }

    /// Returns a list of names and values, which are text.
    static func list(_ rows: [(name: String, value: String)]) -> String {
        "<dl>" + rows.map { "<div><dt>\($0.name.escaped)</dt><dd>\($0.value.escaped)</dd></div>" }.joined() + "</dl>"
    }

    static func notes(_ notes: [String]) -> String {
        notes.isEmpty ? "" : "<ul class=\"notes\">\(notes.map { "<li>\($0.escaped)</li>" }.joined())</ul>"
    }

    /// The rules of the lines, areas and markers of each color.
    private static let colors = (["bad", "quiet"] + (0..<8).map { "c\($0)" }).map { name in
        let variable = name == "quiet" ? "--soft" : "--\(name)"
        return ".line.\(name) { stroke: var(\(variable)); } .area.\(name) { fill: var(\(variable)); } "
            + ".marker.\(name) { stroke: var(\(variable)); } .marker.\(name):not(.hollow) { fill: var(\(variable)); }"
    }.joined(separator: "\n")
}

extension String {
    /// The text escaped for HTML, also inside quotation marks.
    var escaped: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
