import Testing

@testable import CarillonArguments

/// The order of the sections of a command's help.
struct HelpSectionsTests {
    @Test func `options without a title come before those with a title`() {
        let printed = """
            OVERVIEW: Sends a message.

            USAGE: post send --title <title> <page>

            ARGUMENTS:
              <page>

            CONTENT:
              --title <title>

            OPTIONS:
              -h, --help

            """
        let reordered = """
            OVERVIEW: Sends a message.

            USAGE: post send --title <title> <page>

            ARGUMENTS:
              <page>

            OPTIONS:
              -h, --help

            CONTENT:
              --title <title>

            """
        #expect(HelpSections.reordered(printed) == reordered)
    }

    @Test(arguments: [
        "USAGE: post list\n\nOPTIONS:\n  -h, --help\n",
        "USAGE: post list\n\nOPTIONS:\n  -h, --help\n\nSUBCOMMANDS:\n  list\n",
        "post 1.0\n",
    ])
    func `help without titled sections keeps its order`(_ printed: String) {
        #expect(HelpSections.reordered(printed) == printed)
    }
}
