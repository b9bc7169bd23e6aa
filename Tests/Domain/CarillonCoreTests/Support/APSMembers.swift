/// The required members of `aps` in a Live Activity, as JSON.
enum APSMembers {
    static let start =
        #""timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{},"alert":"a""#
    static let update = #""timestamp":1,"event":"update","content-state":{}"#
}
