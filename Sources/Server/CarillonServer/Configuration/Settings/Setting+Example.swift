/// Texts for operators, all made from `all`.
extension Setting {
    /// The settings as `carillond --help` lists them: name, default, bounds, purpose.
    package static var help: String {
        all.map { setting in
            let marks = setting.isReloaded ? "; read again on SIGHUP" : ""
            return "  \(setting.option) \(setting.kind)   [\(setting.defaultText)\(marks)]\n"
                + wrapped(setting.purpose, width: 100).map { "      \($0)" }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The example file: every setting with its default, and its purpose above it.
    package static var example: String {
        var sections: [(name: String, settings: [Setting])] = []
        for setting in all {
            let name = setting.section
            if let index = sections.firstIndex(where: { $0.name == name }) {
                sections[index].settings.append(setting)
            } else {
                sections.append((name, [setting]))
            }
        }
        let text = sections.map { section in
            section.name.isEmpty
                ? section.settings.map { $0.lines(indent: "  ") }.joined(separator: ",\n\n")
                : "  \"\(section.name)\": {\n"
                    + section.settings.map { $0.lines(indent: "    ") }.joined(separator: ",\n\n") + "\n  }"
        }.joined(separator: ",\n\n")
        return """
            // Every setting of carillond with its default. Lines that begin with // are comments.
            // An option overrides the environment, the environment overrides this file: listen.port is the option
            // --listen-port and the variable CARILLON_LISTEN_PORT. `carillond check-config FILE` says what is wrong.
            {
            \(text)
            }

            """
    }

    private var section: String { name.firstIndex(of: ".").map { String(name[..<$0]) } ?? "" }

    private func lines(indent: String) -> String {
        let local = name.trimmingPrefix(section + ".")
        var notes = Self.wrapped(purpose, width: 105)
        if case .number(_, let range) = value { notes.append("\(range.lowerBound) to \(range.upperBound).") }
        if isReloaded { notes.append("Read again on SIGHUP.") }
        return notes.map { "\(indent)// \($0)\n" }.joined() + "\(indent)\"\(local)\": \(json)"
    }

    private var json: String {
        switch value {
        case .text(let text): "\"\(text)\""
        case .number(let number, _): "\(number)"
        case .flag(let flag): "\(flag)"
        }
    }

    private var kind: String {
        switch value {
        case .text: "TEXT"
        case .number(_, let range): "\(range.lowerBound)…\(range.upperBound)"
        case .flag: "true|false"
        }
    }

    private var defaultText: String {
        if case .text("") = value { "empty" } else { json }
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > width { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }
}
