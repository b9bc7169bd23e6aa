import CarillonCore
import Testing

/// The names of topics and groups.
struct NameAlphabetTests {
    /// A text, and the names that it makes; nil if it makes none.
    struct Name: CustomTestStringConvertible {
        let text: String
        var topic: String?
        var group: String?

        var testDescription: String { text }
    }

    static let names = [
        Name(text: "level5", topic: "level5", group: "level5"),
        Name(text: "user/42", topic: "user/42", group: "user/42"),
        Name(text: "aZ09-_.~%/:@+", topic: "aZ09-_.~%/:@+", group: "aZ09-_.~%/:@+"),
        Name(text: ""),
        Name(text: "/"),
        Name(text: "/a"),
        Name(text: "a b"),
        Name(text: "a'"),
        Name(text: "é"),
        Name(text: "/topics/a", topic: "a"),
        Name(text: "/topics/"),
        Name(text: "/topics//a"),
        Name(text: "/topics/topics/a", topic: "topics/a"),
        Name(text: "topics/a", topic: "topics/a", group: "topics/a"),
        Name(text: "/Topics/a"),
        Name(text: "a\u{0}"),
        Name(text: "a\u{301}"),
    ]

    @Test(arguments: names)
    func `a name has the bytes of the alphabet`(_ name: Name) {
        #expect(TopicName(name.text)?.name == name.topic)
        #expect(GroupName(name.text)?.name == name.group)
    }

    @Test func `a name has at most 200 bytes`() {
        let longest = String(repeating: "n", count: 200)
        let names = [TopicName(longest)?.name, TopicName("/topics/" + longest)?.name, GroupName(longest)?.name]
        #expect(names == [longest, longest, longest])
        #expect(TopicName(longest + "n") == nil)
        #expect(GroupName(longest + "n") == nil)
    }
}
