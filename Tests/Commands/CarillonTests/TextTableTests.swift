import Testing

@testable import carillon

struct TextTableTests {
    private var table: TextTable {
        var table = TextTable([("DEVICES", .number), ("TOPIC", .name), ("SEEN", .note)])
        table.add(["5,000", "a-topic-with-a-long-name", "just now"])
        table.add(["7", "公會戰", "never"])
        return table
    }

    @Test(arguments: [
        (
            80,
            [
                "DEVICES  TOPIC                     SEEN", "  5,000  a-topic-with-a-long-name  just now",
                "      7  公會戰                    never",
            ]
        ),
        (34, ["DEVICES  TOPIC", "  5,000  a-topic-with-a-long-name", "      7  公會戰"]),
        (20, ["DEVICES  TOPIC", "  5,000  a-topic-wi…", "      7  公會戰"]),
        (5, ["DEVICES  TOPIC", "  5,000  a-topic…", "      7  公會戰"]),
    ])
    func `a narrow terminal shows no notes and then shorter names`(width: Int, lines: [String]) {
        #expect(table.lines(width: width) == lines)
    }
}
