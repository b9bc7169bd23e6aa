import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// The warnings of `carillon send` about payloads that a device would not show.
struct PayloadWarningsTests {
    private func warnings(of payload: String, _ type: PushType = .alert) -> [String] {
        PayloadWarnings.of(Array(payload.utf8), type: type)
    }

    @Test(
        arguments: [
            (#"{"aps":{"alert":"a"}}"#, .alert), (#"{"aps":{"badge":1}}"#, .alert), ("{}", .mdm),
            (#"{"aps":{"timestamp":1,"event":"end","content-state":{"a":1}}}"#, .liveactivity),
        ] as [(String, PushType)])
    func `a payload of documented keys has no warning`(_ payload: String, _ type: PushType) {
        #expect(warnings(of: payload, type) == [])
    }

    @Test func `a payload that is no JSON has no warning`() {
        // The server refuses it.
        #expect(warnings(of: "no JSON") == [])
    }

    @Test func `a payload without aps shows nothing`() {
        #expect(warnings(of: "{}") == ["the payload has no aps: the push shows nothing"])
        let typo = warnings(of: #"{"asp":{"alert":"a"}}"#)
        #expect(typo == ["the payload has no aps, but 'asp': the push shows nothing"])
    }

    @Test func `an empty alert shows nothing`() {
        let nothing = ["aps has none of alert, badge, sound: the push shows nothing"]
        #expect(warnings(of: #"{"aps":{"alert":null}}"#) == nothing)
        let typo = "Apple documents no key 'alret' in aps. Did you mean 'alert'?"
        #expect(warnings(of: #"{"aps":{"alret":"a"}}"#) == [typo] + nothing)
    }

    @Test func `an unknown key is named with the one that was meant`() {
        let payload = #"{"aps":{"alert":{"titel":"a"}},"data":{"alret":1}}"#
        let typo = "Apple documents no key 'titel' in aps.alert. Did you mean 'title'?"
        #expect(warnings(of: payload) == [typo], "data is the app's own")
        let unlike = #"{"aps":{"content-available":1,"color":1}}"#
        #expect(warnings(of: unlike, .background) == ["Apple documents no key 'color' in aps."])
    }
}
