import CarillonCommandLine
import Testing

struct DisplayWidthTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("今晚公會戰", 10), ("größe", 5), ("e\u{301}", 1), ("👨‍👩‍👧", 2), ("🔔!", 3), ("ｱ", 1), ("Ａ", 2),
        ("한글", 4), ("❤️", 2), ("a\tb", 2), ("█░", 2), ("…", 1),
    ])
    func `the width of a text is its number of columns`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("level5", 6, "level5"), ("level55", 6, "level…"), ("今晚公會戰", 10, "今晚公會戰"), ("今晚公會戰", 9, "今晚公會…"),
        ("今晚公會戰", 8, "今晚公…"), ("ab", 1, "…"), ("ab", 0, ""),
    ])
    func `a text is shortened to its width`(text: String, width: Int, shown: String) {
        #expect(text.fitted(to: width) == shown)
        #expect(text.fitted(to: width).columns <= width)
    }
}
