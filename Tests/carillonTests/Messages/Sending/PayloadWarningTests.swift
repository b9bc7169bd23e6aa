import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// The warnings of `carillon send` about payloads that a device would not show.
struct PayloadWarningTests {
    @Test(
        arguments: [
            (#"{"aps":{"alert":"a"}}"#, .alert, []), (#"{"aps":{"badge":1}}"#, .alert, []), ("no JSON", .alert, []),
            (#"{"asp":{"alert":"a"}}"#, .alert, ["the payload has no aps, but 'asp': the push shows nothing"]),
            ("{}", .alert, ["the payload has no aps: the push shows nothing"]), ("{}", .mdm, []),
            (
                #"{"aps":{"alret":"a"}}"#, .alert,
                [
                    "Apple documents no key 'alret' in aps. Did you mean 'alert'?",
                    "aps has none of alert, badge, sound: the push shows nothing",
                ]
            ),
            (
                #"{"aps":{"alert":{"titel":"a"}},"data":{"alret":1}}"#, .alert,
                ["Apple documents no key 'titel' in aps.alert. Did you mean 'title'?"]
            ),
            (#"{"aps":{"content-available":1,"color":1}}"#, .background, ["Apple documents no key 'color' in aps."]),
            (#"{"aps":{"timestamp":1,"event":"end","content-state":{"a":1}}}"#, .liveactivity, []),
            (#"{"aps":{"alert":null}}"#, .alert, ["aps has none of alert, badge, sound: the push shows nothing"]),
        ] as [(String, PushType, [String])])
    func aPayloadThatShowsNothingIsWarnedOf(_ payload: String, _ type: PushType, _ warnings: [String]) {
        #expect(PayloadWarnings.of(Array(payload.utf8), type: type) == warnings)
    }
}
