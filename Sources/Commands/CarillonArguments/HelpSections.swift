import Foundation

/// The help of a command.
enum HelpSections {
    /// Returns the help with the section OPTIONS before the sections that have a title of their own. ArgumentParser
    /// prints the command's own options, which have no title, last.
    static func reordered(_ help: String) -> String {
        var sections = help.components(separatedBy: "\n\n")
        guard let usage = sections.firstIndex(where: { $0.hasPrefix("USAGE:") }),
            let options = sections.indices.last(where: { sections[$0].hasPrefix("OPTIONS:\n") }),
            let first = sections.indices.first(where: { $0 > usage && !sections[$0].hasPrefix("ARGUMENTS:\n") }),
            first < options
        else { return help }
        var moved = sections.remove(at: options)
        // The last section ends with a line break.
        if options == sections.count, moved.hasSuffix("\n") {
            moved.removeLast()
            sections[sections.count - 1] += "\n"
        }
        sections.insert(moved, at: first)
        return sections.joined(separator: "\n\n")
    }
}
